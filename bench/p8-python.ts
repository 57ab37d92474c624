import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginContext, Runner } from "svc-automation/contract";
import { pythonScript } from "svc-automation/plugins-runner/python-script";
import { createOptions, createRunContext } from "svc-automation/testing";
import type { Benchmark, Resource } from "./harness/benchmark.ts";
import { median } from "./harness/statistics.ts";

// The system's own where there is one: what others load at every start would flatter the ratio.
const binary = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";

export const benchmark: Benchmark = {
	id: "P8",
	title: "Python action on cpython, request to result, ÷ start and end of the same interpreter with nothing to do",
	goals: [{ name: "ratio", label: "action ÷ bare start", direction: "at most", limits: [1.5] }],
	async run(round) {
		const bench = await round.use("runner", startRunner);
		const count = round.quick ? 10 : 60;
		const ours: number[] = [];
		const bare: number[] = [];
		await bench.runAction();
		// One by one in turn, so that a slow moment of the machine meets both.
		for (let index = 0; index < count; index++) {
			ours.push(await time(bench.runAction));
			bare.push(await time(bench.startBare));
		}
		const [action, start] = [median(ours), median(bare)];
		return { values: { ratio: action / start }, detail: `action ${action.toFixed(1)} ms; bare start ${start.toFixed(1)} ms` };
	},
};

interface Bench extends Resource {
	runAction(): Promise<void>;
	startBare(): Promise<void>;
}

async function startRunner(): Promise<Bench> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const entryPoint = join(directory, "action.py");
	await writeFile(entryPoint, "from svc.actions import Action\nclass Nothing(Action):\n    def run(self, x):\n        return x\n");
	const runner: Runner = pythonScript({ engine: "cpython", python_binary: binary }).create();
	const quiet = () => undefined;
	const context: PluginContext = {
		logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
		clock: { now: () => Date.now() * 1000 },
		dataDirectory: directory,
		nodeId: "bench",
		options: createOptions(),
	};
	await runner.start?.(context);
	// What stands on the PATH may be a slow wrapper; the runner starts the interpreter itself.
	const interpreter = execFileSync(binary, ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
	return {
		async runAction() {
			const { result } = await runner.run(createRunContext(runner, { entryPoint, packDirectory: directory, actionParameters: { x: 1 } }));
			if (result["result"] !== 1) throw new Error(`the action failed: ${JSON.stringify(result)}`);
		},
		startBare: () =>
			new Promise((resolve, reject) => execFile(interpreter, ["-c", "pass"], (error) => (error ? reject(error) : resolve()))),
		async stop() {
			await runner.stop?.();
			await rm(directory, { recursive: true, force: true });
		},
	};
}

async function time(work: () => Promise<void>): Promise<number> {
	const started = performance.now();
	await work();
	return performance.now() - started;
}
