import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type ServiceUnderTest, type WireRecord, withService } from "../core/testing/http/service.test-support.ts";
import { createPluginContext } from "../core/testing/index.ts";
import { packCompatibility } from "../plugins/pack-compatibility/index.ts";
import { pythonScript } from "../plugins-runner/python-script/index.ts";
import configuration from "../svc.config.ts";
import { commandCases, offlineCases } from "./public-packs/cases.ts";
import { runCase } from "./public-packs/run-case.ts";

/**
 * Tries packs of the public platform, which nobody commits: reads and registers all in a folder, inspects their workflows, runs actions
 * that need no network here and natively and compares, and runs the packs' own unit tests. docs/reference/public-packs.md says what came of it.
 */
const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { python: { type: "string", default: "python3" }, "with-requirements": { type: "boolean", default: false } },
});
const source = positionals[0] ?? process.env["SVC_PUBLIC_PACKS"];
if (source === undefined) {
	console.error("usage: node --import tsx scripts/public-packs.ts <folder of packs> [--python <interpreter>] [--with-requirements]");
	process.exit(2);
}
const place = mkdtempSync(join(tmpdir(), "svc-public-packs-"));
const packs = join(place, "packs");

try {
	const names = copyPacks(resolve(source));
	prepareFiles();
	const runners = (configuration.runners ?? []).map((plugin) =>
		plugin.name === "python-script" ? pythonScript({ engine: "cpython", python_binary: values.python, base_requirements: [] }) : plugin,
	);
	await withService((service) => report(service, names), { runners, dialects: [packCompatibility()], packs: [packs], api: {} });
} finally {
	rmSync(place, { recursive: true, force: true });
}

/** Without what only tells pip what to get, unless that is wanted: packages come from the interpreter. */
function copyPacks(directory: string): readonly string[] {
	const names = readdirSync(directory).sort();
	for (const name of names) {
		const filter = (path: string) =>
			!/\/\.git$/.test(path) && (values["with-requirements"] || path !== join(directory, name, "requirements.txt"));
		cpSync(join(directory, name), join(packs, name), { recursive: true, filter });
	}
	return names;
}

function prepareFiles(): void {
	for (const side of ["service", "native"]) {
		const directory = join(place, side);
		mkdirSync(join(directory, "repository"), { recursive: true });
		writeFileSync(join(directory, "table.csv"), "a,b\n1,2\n");
		makeWorkbook(join(directory, "book.xlsx"));
		const identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.org"];
		execFileSync("git", ["init", "-q", "-b", "main"], { cwd: join(directory, "repository") });
		const date = { ...process.env, GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" };
		execFileSync("git", [...identity, "commit", "-q", "--allow-empty", "-m", "first"], { cwd: join(directory, "repository"), env: date });
	}
}

/** Where the interpreter has the package for it: otherwise the actions fail here and natively in the same way. */
function makeWorkbook(file: string): void {
	const rows = "sheet.append(['host', 'ip']); sheet.append(['host1', '10.0.0.1'])";
	const text = `import openpyxl, sys\nbook = openpyxl.Workbook()\nsheet = book.active\nsheet.title = "Sheet1"\n${rows}\nbook.save(sys.argv[1])`;
	try {
		execFileSync(values.python, ["-c", text, file], { stdio: "ignore" });
	} catch {
		console.log("\tno workbook: the interpreter has no openpyxl");
	}
}

async function report(service: ServiceUnderTest, names: readonly string[]): Promise<void> {
	for (const name of names) await reportPack(service, name);
	const context = { service, packs, python: values.python, files: (side: string) => join(place, side) };
	for (const given of [...offlineCases, ...commandCases]) {
		const { action, verdict, shown } = await runCase(given, context);
		console.log(`${verdict}\t${action}\t${shown}`);
	}
}

/** What of a pack is registered, what is not and why, what is wrong with its workflows, and its unit tests. */
async function reportPack(service: ServiceUnderTest, name: string): Promise<void> {
	const problems = service.log
		.filter((line) => line.includes('"level":"warn"') && line.includes(`${packs}/${name}/`))
		.map((line) => JSON.parse(line) as { message?: string; problem?: { file?: string; message?: string } })
		.map(({ message, problem }) =>
			problem?.file === undefined ? String(message) : `${problem.file.slice(packs.length + 1)}: ${problem.message}`,
		);
	const counts: string[] = [];
	for (const kind of ["actions", "rules", "sensortypes", "triggertypes", "actionalias"]) {
		const answer = await service.ask(`/v1/${kind}?pack=${name}&limit=1`);
		if (answer.ok) counts.push(`${kind} ${answer.headers.get("x-total-count") ?? ((await answer.json()) as unknown[]).length}`);
	}
	const tests = await runTests(name);
	console.log(`pack\t${name}\t${counts.join(", ")}\ttests: ${tests}`);
	for (const problem of problems) console.log(`\tskipped\t${problem}`);
	for (const finding of await inspectWorkflows(service, name)) console.log(`\tworkflow\t${finding}`);
}

async function inspectWorkflows(service: ServiceUnderTest, name: string): Promise<readonly string[]> {
	const found: string[] = [];
	for (const runner of ["workflow", "action-chain"]) {
		const actions = (await (await service.ask(`/v1/actions?pack=${name}&runner_type=${runner}&limit=100`)).json()) as WireRecord[];
		for (const { ref, runner_type } of actions.filter((action) => action["runner_type"] === runner)) {
			const text = await (await service.ask(`/v1/actions/views/entry_point/${ref}`)).text();
			const headers = { "content-type": "text/plain" };
			const answer = await service.ask(`/v1/workflows/inspect?runner=${runner_type}`, { method: "POST", headers, body: text });
			const findings = (await answer.json()) as WireRecord[];
			found.push(`${ref}: ${findings.length === 0 ? "nothing wrong" : findings.map((finding) => finding["message"]).join("; ")}`);
		}
	}
	return found;
}

async function runTests(name: string): Promise<string> {
	const runner = pythonScript({ engine: "cpython", python_binary: values.python, base_requirements: [] }).create();
	const { pythonPath } = packCompatibility().create();
	await runner.start?.(createPluginContext({ dataDirectory: place, pythonPaths: [pythonPath ?? ""] }));
	try {
		const request = { pack: name, directory: join(packs, name), signal: AbortSignal.timeout(120_000) };
		const results = (await runner.packTools?.test?.(request)) ?? [];
		const failed = results.filter(({ problems }) => problems.length > 0);
		const reasons = [...new Set(failed.map(({ problems }) => problems[0]?.trim().split("\n").at(-1)))].slice(0, 4);
		const skipped = results.filter((result) => result.skipped !== undefined).length;
		return `${results.length - failed.length - skipped} passed, ${failed.length} failed, ${skipped} skipped ${reasons.join(" / ")}`;
	} finally {
		await runner.stop?.();
	}
}
