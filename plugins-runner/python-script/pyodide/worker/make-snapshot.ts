import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SnapshotSettings } from "../worker-protocol.ts";
import { loadInterpreter, type PyodideInterface } from "./interpreter.ts";
import { packSnapshot } from "./snapshot-file.ts";

/** Makes the snapshot from which workers start: an interpreter with the runner's Python modules loaded. */
const settings = JSON.parse(process.argv[2] ?? "{}") as SnapshotSettings;
const directory = "/svc-runner";
/** Modules that most actions and the runner import. */
const modules = ["json", "logging", "traceback", "urllib.parse", "run_pyodide"];

const python = await loadInterpreter(settings.pyodide, { _makeSnapshot: true });
copySource(python);
python.runPython(`
import sys, importlib
sys.dont_write_bytecode = True
sys.path.insert(0, "${directory}")
for name in ${JSON.stringify(modules)}:
    importlib.import_module(name)
# Not the working directory either, which is the pack's: its files hide no module of that name.
sys.path[:] = [path for path in sys.path if path not in ("", "${directory}")]
sys.path_importer_cache.pop("${directory}", None)
del name
`);
const unfinished = `${settings.file}.${process.pid}`;
writeFileSync(unfinished, packSnapshot(python.makeMemorySnapshot(), settings.recipe), { mode: 0o600 });
renameSync(unfinished, settings.file);
process.exit();

function copySource({ FS }: PyodideInterface): void {
	for (const entry of readdirSync(settings.python, { recursive: true, withFileTypes: true })) {
		if (!entry.name.endsWith(".py")) continue;
		const path = join(entry.parentPath, entry.name);
		const target = path.replace(settings.python, directory);
		FS.mkdirTree(target.slice(0, target.lastIndexOf("/")));
		FS.writeFile(target, readFileSync(path));
	}
}
