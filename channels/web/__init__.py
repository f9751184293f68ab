"""Chat over WebSockets and single requests; who serves them is somebody else's business."""
