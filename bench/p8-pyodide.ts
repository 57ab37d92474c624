import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { PluginContext, Runner } from "svc-automation/contract";
import { pythonScript } from "svc-automation/plugins-runner/python-script";
import { createOptions, createRunContext } from "svc-automation/testing";
import type { Benchmark, Resource } from "./harness/benchmark.ts";
import { median } from "./harness/statistics.ts";

/** Milliseconds that the next worker gets to be ready, as between actions that do not come in a row. */
const pause = 4_000;

export const benchmark: Benchmark = {
	id: "P8",
	title: "Python action on pyodide from a warm worker, request to result",
	goals: [{ name: "warm", label: "action on a warm worker", unit: "ms", direction: "at most", limits: [25] }],
	async run(round) {
		const bench = await round.use("runner", startRunner);
		const started = performance.now();
		await bench.runAction();
		const cold = performance.now() - started;
		const times: number[] = [];
		for (let index = 0; index < (round.quick ? 3 : 12); index++) {
			await delay(pause);
			const begun = performance.now();
			await bench.runAction();
			times.push(performance.now() - begun);
		}
		const warm = median(times);
		return { values: { warm }, detail: `warm ${warm.toFixed(1)} ms; the first of the round ${cold.toFixed(0)} ms` };
	},
};

interface Bench extends Resource {
	runAction(): Promise<void>;
}

async function startRunner(): Promise<Bench> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const entryPoint = join(directory, "action.py");
	await writeFile(entryPoint, "from svc.actions import Action\nclass Nothing(Action):\n    def run(self, x):\n        return x\n");
	const runner: Runner = pythonScript({ engine: "pyodide" }).create();
	const quiet = () => undefined;
	const context: PluginContext = {
		logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
		clock: { now: () => Date.now() * 1000 },
		dataDirectory: directory,
		nodeId: "bench",
		options: createOptions(),
	};
	await runner.start?.(context);
	return {
		async runAction() {
			const { result } = await runner.run(createRunContext(runner, { entryPoint, packDirectory: directory, actionParameters: { x: 1 } }));
			if (result["result"] !== 1) throw new Error(`the action failed: ${JSON.stringify(result)}`);
		},
		async stop() {
			await runner.stop?.();
			await rm(directory, { recursive: true, force: true });
		},
	};
}
