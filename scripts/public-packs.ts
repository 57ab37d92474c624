import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { withService } from "../core/testing/http/service.test-support.ts";
import { packCompatibility } from "../plugins/pack-compatibility/index.ts";
import { pythonScript } from "../plugins-runner/python-script/index.ts";
import configuration from "../svc.config.ts";
import { prepareFiles } from "./public-packs/case-files.ts";
import { commandCases, offlineCases, workflowCases } from "./public-packs/cases.ts";
import { PackBench } from "./public-packs/pack-bench.ts";
import { reportPack } from "./public-packs/report-pack.ts";
import { runCase } from "./public-packs/run-case.ts";
import { runSensorCase } from "./public-packs/run-sensor-case.ts";
import { runWorkflowCase } from "./public-packs/run-workflow-case.ts";
import { sensorCases } from "./public-packs/sensor-cases.ts";

/**
 * Tries packs of the public platform, which nobody commits: installs all whose repositories lie in a folder by `svc pack install`, unmodified,
 * inspects their workflows, runs their unit tests, runs actions that need no network here and natively and compares, and has sensors
 * see real events that rules act on. docs/reference/public-packs.md says what came of it.
 */
const usage = `usage: node --import tsx scripts/public-packs.ts <folder of git repositories> [options]
  --only <packs>                names of repositories, with commas between them
  --python <interpreter>        default python3
  --without-virtualenv <packs>  those whose requirements cannot be had: they run with the packages of the interpreter; * for all
  --pip-argument <argument>     for pip install; may be given several times
  --unit-tests                  run the packs' own unit tests too`;
const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		only: { type: "string" },
		python: { type: "string", default: "python3" },
		"without-virtualenv": { type: "string", default: "" },
		"pip-argument": { type: "string", multiple: true, default: [] },
		"unit-tests": { type: "boolean", default: false },
	},
});
const source = positionals[0] ?? process.env["SVC_PUBLIC_PACKS"];
if (source === undefined || !existsSync(source)) {
	console.error(usage);
	process.exit(2);
}
const repositories = resolve(source);
const toList = (text: string) => text.split(",").filter((word) => word !== "");
const names = values.only === undefined ? readdirSync(repositories).sort() : toList(values.only);
const withoutVirtualenv = toList(values["without-virtualenv"]);
const place = mkdtempSync(join(tmpdir(), "svc-public-packs-"));
// What packs keep in the home directory, such as rings of keys, is theirs alone.
process.env["HOME"] = join(place, "home");
mkdirSync(process.env["HOME"]);

try {
	const common = { engine: "cpython", python_binary: values.python } as const;
	const python = pythonScript({
		...common,
		pip_arguments: values["pip-argument"],
		packs_without_virtualenv: withoutVirtualenv,
	});
	// What tests ask for besides comes from the interpreter, or from the stand-ins.
	const testing = values["unit-tests"] ? pythonScript({ ...common, packs_without_virtualenv: ["*"] }) : undefined;
	const runners = (configuration.runners ?? []).map((plugin) => (plugin.name === "python-script" ? python : plugin));
	prepareFiles(place, values.python);
	await withService(
		async (service) => {
			const bench = new PackBench(service, { place, python: values.python, pipArguments: values["pip-argument"], withoutVirtualenv });
			for (const name of names) await bench.install(name, join(repositories, name));
			for (const pack of bench.installed) await reportPack(bench, pack, testing);
			for (const given of [...offlineCases, ...commandCases]) tell(await runCase(given, bench));
			for (const given of workflowCases) tell(await runWorkflowCase(given, bench));
			for (const given of sensorCases) tell(await runSensorCase(given, bench));
		},
		{ runners, dialects: [packCompatibility()], api: {} },
	);
} finally {
	execFileSync("chmod", ["-R", "u+w", place]);
	rmSync(place, { recursive: true, force: true });
}

/** A line; nothing of what was not installed. */
function tell({ action, verdict, shown }: { readonly action: string; readonly verdict: string; readonly shown: string }): void {
	if (verdict !== "left out") console.log(`${verdict}\t${action}\t${shown}`);
	if (verdict === "differs") process.exitCode = 1;
}
