import type { Runner } from "svc-automation/contract";
import { containerRunner } from "svc-automation/plugins-runner/container";
import { createOptions, createRunContext } from "svc-automation/testing";
import { Podman } from "../plugins-runner/_container/podman.test-support.ts";
import type { Benchmark, Resource } from "./harness/benchmark.ts";

export const benchmark: Benchmark = {
	id: "P23",
	title: "an action that prints a word in a container, from its start to its result ÷ `podman run --rm` of the same",
	goals: [{ name: "ratio", label: "median ms ÷ median ms", direction: "at most", limits: [1.8] }],
	async run(round) {
		const { podman, runner } = await round.use("engine", startBench);
		const times = round.quick ? 3 : 15;
		const [ours, bare] = await round.alternate(
			() => measure(times, () => runAction(runner, podman.image)),
			() => measure(times, () => podman.runBare(["echo", "hi"])),
		);
		return { values: { ratio: ours / bare }, detail: `${ours.toFixed(0)} ms; podman run alone ${bare.toFixed(0)} ms` };
	},
};

interface Bench extends Resource {
	readonly podman: Podman;
	readonly runner: Runner;
}

/** Median in milliseconds. */
async function measure(times: number, run: () => Promise<unknown>): Promise<number> {
	const all: number[] = [];
	for (let turn = 0; turn < times; turn++) {
		const began = performance.now();
		await run();
		all.push(performance.now() - began);
	}
	return all.sort((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
}

async function runAction(runner: Runner, image: string): Promise<void> {
	const context = createRunContext(runner, { runnerParameters: { image, cmd: "echo hi" } });
	const { succeeded, result } = await runner.run(context);
	if (!succeeded) throw new Error(`the action failed: ${JSON.stringify(result)}`);
	await runner.afterRun?.(context);
}

async function startBench(): Promise<Bench> {
	const podman = await Podman.start();
	const runner: Runner = containerRunner({ host: `unix://${podman.socketPath}` }).create();
	const quiet = () => undefined;
	await runner.start?.({
		logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
		clock: { now: () => Date.now() * 1000 },
		dataDirectory: "/nonexistent",
		nodeId: "bench",
		options: createOptions(),
	});
	return {
		podman,
		runner,
		async stop() {
			await runner.stop?.();
			await podman.stop();
		},
	};
}
