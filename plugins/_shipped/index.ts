// The main entry of the package (`svc-automation`).
import "./optional-features.ts";

export * from "../../core/index.ts";
