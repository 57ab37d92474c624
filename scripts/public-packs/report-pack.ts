import type { RunnerPlugin } from "../../core/contract/index.ts";
import type { WireRecord } from "../../core/testing/http/service.test-support.ts";
import { createPluginContext } from "../../core/testing/index.ts";
import { packCompatibility } from "../../plugins/pack-compatibility/index.ts";
import type { InstalledPack, PackBench } from "./pack-bench.ts";

/** Milliseconds that the unit tests of a pack may take. */
const testTime = 300_000;

/** What of a pack is registered, what is not and why, what is wrong with its workflows, and its unit tests where a runner for them is given. */
export async function reportPack(bench: PackBench, pack: InstalledPack, runner: RunnerPlugin | undefined): Promise<void> {
	const counts: string[] = [];
	for (const kind of ["actions", "rules", "sensortypes", "triggertypes", "actionalias", "policies"]) {
		const answer = await bench.service.ask(`/v1/${kind}?pack=${pack.ref}&limit=1`);
		const count = answer.headers.get("x-total-count") ?? ((await answer.json()) as unknown[]).length;
		if (String(count) !== "0") counts.push(`${kind} ${count}`);
	}
	console.log(`pack\t${pack.ref}\t${counts.join(", ")}`);
	for (const line of skipped(bench, pack)) console.log(`\tskipped\t${line}`);
	for (const finding of await inspectWorkflows(bench, pack)) console.log(`\tworkflow\t${finding}`);
	if (runner !== undefined) console.log(`\ttests\t${await runTests(runner, bench.place, pack)}`);
}

/** What the log has said of files that are not used. */
function skipped({ service }: PackBench, { ref }: InstalledPack): readonly string[] {
	return service.log
		.filter((line) => line.includes('"level":"warn"'))
		.map((line) => JSON.parse(line) as { message?: string; pack?: string; problem?: { file?: string; message?: string } | string })
		.filter(({ pack }) => pack === ref)
		.map(({ message, problem }) => `${message}: ${typeof problem === "string" ? problem : `${problem?.file}: ${problem?.message}`}`);
}

async function inspectWorkflows({ service }: PackBench, { ref: pack }: InstalledPack): Promise<readonly string[]> {
	const found: string[] = [];
	for (const runner of ["workflow", "action-chain"]) {
		const actions = (await (await service.ask(`/v1/actions?pack=${pack}&runner_type=${runner}&limit=200`)).json()) as WireRecord[];
		const own = actions.filter((action) => action["runner_type"] === runner);
		let sound = 0;
		for (const { ref } of own) {
			const text = await (await service.ask(`/v1/actions/views/entry_point/${ref}`)).text();
			const headers = { "content-type": "text/plain" };
			const answer = await service.ask(`/v1/workflows/inspect?runner=${runner}`, { method: "POST", headers, body: text });
			const findings = (await answer.json()) as WireRecord[];
			if (findings.length === 0) sound += 1;
			else found.push(`${ref}: ${findings.map((finding) => finding["message"]).join("; ")}`);
		}
		if (own.length > 0) found.push(`${sound} of ${own.length} of the type ${runner} have no findings`);
	}
	return found;
}

async function runTests(plugin: RunnerPlugin, place: string, { ref, directory }: InstalledPack): Promise<string> {
	const runner = plugin.create();
	const { pythonPath } = packCompatibility().create();
	await runner.start?.(createPluginContext({ dataDirectory: place, pythonPaths: [pythonPath ?? ""] }));
	try {
		const request = { pack: ref, directory, signal: AbortSignal.timeout(testTime) };
		const results = (await runner.packTools?.test?.(request)) ?? [];
		const failed = results.filter(({ problems }) => problems.length > 0);
		const reasons = [...new Set(failed.map(({ problems }) => problems[0]?.trim().split("\n").at(-1)))].slice(0, 4);
		const skipped = results.filter((result) => result.skipped !== undefined).length;
		return `${results.length - failed.length - skipped} passed, ${failed.length} failed, ${skipped} skipped ${reasons.join(" / ")}`;
	} catch (error) {
		return `could not run: ${(error as Error).message.trim().split("\n").at(-1)}`;
	} finally {
		await runner.stop?.();
	}
}
