"""What is checked in the background while the window is used: values of the open model, many models, files that change."""
