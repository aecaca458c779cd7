"""Optional ways out: MLflow and OpenTelemetry. Both read finished traces; neither is ever on."""
