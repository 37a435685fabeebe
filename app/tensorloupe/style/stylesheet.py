"""The few lines of style sheet on top of Fusion, for whole windows: flat tabs, heads, fields and buttons.

Sizes are px at 96 dpi and follow the font where a row of text must fit. Colours are roles of the palette, so that one
sheet holds for light and dark: `placeholder-text` is secondary text, `mid` and `midlight` are the strong and the thin
line, `link` is the accent, `link-visited` what is disabled, `bright-text` an error. Everything else is left to Fusion.
"""

SHEET = """
QMenuBar { background: palette(window); padding: 3px 6px; }
QMenuBar::item { padding: 4px 9px; background: transparent; }
QMenuBar::item:selected { background: palette(highlight); }
QMenu { background: palette(base); border: 1px solid palette(mid); padding: 4px 0; }
QMenu::item { padding: 4px 28px 4px 26px; }
QMenu::item:selected { background: palette(highlight); color: palette(text); }
QMenu::item:disabled { color: palette(link-visited); }
QMenu::separator { height: 1px; background: palette(midlight); margin: 4px 0; }
QMenu::indicator { width: 14px; height: 14px; left: 6px; }
QToolTip { background: palette(base); color: palette(text); border: 1px solid palette(mid); padding: 3px; }
QTabBar { background: transparent; border: 0; }
QTabBar::tab { padding: 6px 12px 7px 12px; border: 0; border-bottom: 3px solid transparent;
    color: palette(placeholder-text); }
QTabBar::tab:selected { color: palette(text); font-weight: bold; border-bottom-color: palette(link); }
QTabBar::tab:hover:!selected { color: palette(text); }
QTabBar::tab:focus { border-bottom-color: palette(link); }
QHeaderView { background: palette(window); border: 0; }
QHeaderView::section { background: palette(window); color: palette(placeholder-text); border: 0;
    border-bottom: 1px solid palette(midlight); padding: 3px 6px; font-weight: normal; }
QTreeView QHeaderView::section { padding: 3px; }
QTreeView QHeaderView::section:first { padding-left: 10px; }
QTableView QHeaderView::section { padding: 3px 4px 3px 12px; }
QTableCornerButton::section { background: palette(window); border: 0; border-bottom: 1px solid palette(midlight); }
QHeaderView::section:focus { color: palette(text); }
QLineEdit, QSpinBox, QDoubleSpinBox { background: palette(base); border: 1px solid palette(mid); border-radius: 3px;
    padding: 3px 6px; selection-background-color: palette(highlight); selection-color: palette(text); }
QAbstractSpinBox QLineEdit { border: 0; padding: 0; background: transparent; }
QSpinBox::up-button, QSpinBox::down-button { width: 0; height: 0; border: 0; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus { border: 2px solid palette(link); padding: 2px 5px; }
QLineEdit[wrong="true"] { border-color: palette(bright-text); }
QPushButton { background: palette(button); border: 1px solid palette(mid); border-radius: 3px; padding: 4px 12px; }
QPushButton:hover { border-color: palette(placeholder-text); }
QPushButton:pressed, QPushButton:checked { background: palette(highlight); border-color: palette(link); }
QPushButton:focus { border: 2px solid palette(link); padding: 3px 11px; }
QPushButton[flat="true"] { background: transparent; border-color: transparent; color: palette(link); }
QPushButton[flat="true"]:focus { border: 2px solid palette(link); }
QPushButton:disabled { color: palette(link-visited); }
QPushButton[primary="true"] { background: palette(link); border-color: palette(link); color: palette(base);
    font-weight: bold; }
QPushButton[primary="true"]:focus { border: 2px solid palette(text); }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 3px; padding: 3px; }
QToolButton:hover { border-color: palette(mid); }
QToolButton:focus { border: 2px solid palette(link); padding: 2px; }
QToolButton[outlined="true"] { background: palette(button); border: 1px solid palette(mid); padding: 4px 9px; }
QToolButton[outlined="true"]:hover { border-color: palette(placeholder-text); }
QToolButton[outlined="true"]:focus { border: 2px solid palette(link); padding: 3px 8px; }
QToolButton[outlined="true"]::menu-indicator { image: none; }
QToolButton[outlined="true"]:disabled { color: palette(link-visited); }
QToolButton[chip="true"] { background: palette(button); border: 1px solid palette(mid); padding: 2px 6px; }
QToolButton[chip="true"]:checked { background: palette(highlight); border-color: palette(link); }
QToolButton[chip="true"]:focus { border: 2px solid palette(link); padding: 1px 5px; }
QToolButton[chip="true"]::menu-indicator { image: none; }
QTreeView, QTableView, QListView, QPlainTextEdit { border: 0; }
QComboBox QAbstractItemView { background: palette(base); border: 1px solid palette(mid); }
QTreeView:focus, QTableView:focus, QListView:focus { outline: 0; }
QSplitter::handle { background: palette(mid); }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QStatusBar { background: palette(window); border-top: 1px solid palette(mid); }
QStatusBar::item { border: 0; }
QScrollBar { background: transparent; border: 0; }
QScrollBar:vertical { width: 12px; }
QScrollBar:horizontal { height: 12px; }
QScrollBar::handle { background: palette(mid); border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: palette(placeholder-text); }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QProgressBar { background: palette(base); border: 1px solid palette(mid); border-radius: 2px; max-height: 6px; }
QProgressBar::chunk { background: palette(link); }
"""
