"""Pictures: time plots with Matplotlib (`plot`), 3D animations as one HTML file (`scene`)."""
