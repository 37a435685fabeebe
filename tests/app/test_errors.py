"""What nobody caught is shown in a dialog, and the window goes on."""


def test_an_unexpected_error_is_shown_and_the_window_goes_on(qtbot, window, capsys):
    from tensorloupe.errors import ErrorHook

    hook = ErrorHook()
    try:
        raise RuntimeError("no <b>such</b> thing")
    except RuntimeError as reason:
        hook(type(reason), reason, reason.__traceback__)
        hook(type(reason), reason, reason.__traceback__)
    assert hook._dialog.isVisible()
    assert hook._dialog.text.toPlainText().count("RuntimeError: no <b>such</b> thing") == 2
    hook._dialog.close()
    assert "RuntimeError" in capsys.readouterr().err
    assert window.isVisible()
