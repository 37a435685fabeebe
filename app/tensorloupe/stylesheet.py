"""The few lines of style sheet on top of Fusion, for whole windows: flat tabs, heads, fields and buttons.

Sizes are px at 96 dpi and follow the font where a row of text must fit. Everything else is left to Fusion's own painting,
which takes its colours from the palette.
"""

from __future__ import annotations

from tensorloupe.colors import Colors

_SHEET = """
QMenuBar {{ background: {window}; padding: 3px 6px; }}
QMenuBar::item {{ padding: 4px 9px; background: transparent; }}
QMenuBar::item:selected {{ background: {highlight}; }}
QMenu {{ background: {base}; border: 1px solid {strong}; padding: 4px 0; }}
QMenu::item {{ padding: 4px 28px 4px 26px; }}
QMenu::item:selected {{ background: {highlight}; color: {text}; }}
QMenu::item:disabled {{ color: {unchecked}; }}
QMenu::separator {{ height: 1px; background: {thin}; margin: 4px 0; }}
QMenu::indicator {{ width: 14px; height: 14px; left: 6px; }}
QToolTip {{ background: {base}; color: {text}; border: 1px solid {strong}; padding: 3px; }}
QTabBar {{ background: transparent; border: 0; }}
QTabBar::tab {{ padding: 6px 12px 7px 12px; border: 0; border-bottom: 3px solid transparent; color: {secondary}; }}
QTabBar::tab:selected {{ color: {text}; font-weight: bold; border-bottom-color: {accent}; }}
QTabBar::tab:hover:!selected {{ color: {text}; }}
QTabBar::tab:focus {{ border-bottom-color: {accent}; }}
QHeaderView {{ background: {window}; border: 0; }}
QHeaderView::section {{ background: {window}; color: {secondary}; border: 0; border-bottom: 1px solid {thin};
    padding: 3px 6px; font-weight: normal; }}
QTableView QHeaderView::section {{ padding: 3px 4px 3px 12px; }}
QTableCornerButton::section {{ background: {window}; border: 0; border-bottom: 1px solid {thin}; }}
QHeaderView::section:focus {{ color: {text}; }}
QLineEdit, QSpinBox, QDoubleSpinBox {{ background: {base}; border: 1px solid {strong}; border-radius: 3px;
    padding: 3px 6px; selection-background-color: {highlight}; selection-color: {text}; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus {{ border: 2px solid {accent}; padding: 2px 5px; }}
QLineEdit[wrong="true"] {{ border-color: {error}; }}
QPushButton {{ background: {button}; border: 1px solid {strong}; border-radius: 3px; padding: 4px 12px; }}
QPushButton:hover {{ border-color: {secondary}; }}
QPushButton:pressed, QPushButton:checked {{ background: {highlight}; border-color: {accent}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 3px 11px; }}
QPushButton:disabled {{ color: {unchecked}; }}
QPushButton[primary="true"] {{ background: {accent}; border-color: {accent}; color: {on_accent}; font-weight: bold; }}
QPushButton[primary="true"]:focus {{ border: 2px solid {text}; }}
QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: 3px; padding: 3px; }}
QToolButton:hover {{ border-color: {strong}; }}
QToolButton:focus {{ border: 2px solid {accent}; padding: 2px; }}
QToolButton[outlined="true"] {{ background: {button}; border: 1px solid {strong}; padding: 4px 9px; }}
QToolButton[outlined="true"]:hover {{ border-color: {secondary}; }}
QToolButton[outlined="true"]:focus {{ border: 2px solid {accent}; padding: 3px 8px; }}
QToolButton[outlined="true"]:disabled {{ color: {unchecked}; }}
QToolButton[chip="true"] {{ background: {button}; border: 1px solid {strong}; padding: 2px 6px; }}
QToolButton[chip="true"]:checked {{ background: {highlight}; border-color: {accent}; }}
QToolButton[chip="true"]:focus {{ border: 2px solid {accent}; padding: 1px 5px; }}
QToolButton[chip="true"]::menu-indicator {{ image: none; }}
QTreeView, QTableView, QListView, QPlainTextEdit {{ border: 0; }}
QTreeView:focus, QTableView:focus, QListView:focus {{ outline: 0; }}
QSplitter::handle {{ background: {strong}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}
QStatusBar {{ background: {window}; border-top: 1px solid {strong}; }}
QStatusBar::item {{ border: 0; }}
QProgressBar {{ background: {base}; border: 1px solid {strong}; border-radius: 2px; max-height: 6px; }}
QProgressBar::chunk {{ background: {accent}; }}
"""


def stylesheet(colors: Colors) -> str:
    """The style sheet in these colours."""
    names = {name: getattr(colors, name) for name in colors.__slots__}
    return _SHEET.format(accent=colors.accent, **names)
