export { createPyodideEngine, type PyodideOptions } from "./pyodide-engine.ts";
