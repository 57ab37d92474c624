import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "../../../core/contract/index.ts";
import { pick } from "../../../core/testing/guarantees/random.test-support.ts";
import { Docker } from "../../../plugins-runner/_container/docker.test-support.ts";
import { Podman } from "../../../plugins-runner/_container/podman.test-support.ts";
import type { TestEngine } from "../../../plugins-runner/_container/test-engine.test-support.ts";
import { type ChaosEngine, type EngineFault, toAbsence } from "./chaos-engine.ts";

const installation = "chaos";

/** Containers of Podman. Its server may be killed: containers go on without it. */
export async function startPodman(ledgers: string): Promise<ChaosEngine> {
	const podman = await Podman.start();
	// It is no server: what is killed is what was just making or starting a container, which stays half-made.
	const excuses = /^the container cannot be (made|started)/;
	return toChaosEngine("podman", podman, ledgers, { restart: { run: () => podman.restart("SIGKILL"), excuses } });
}

/** Containers of Docker, whose daemon is told to leave them alone when it ends, or not. */
export async function startDocker(ledgers: string): Promise<ChaosEngine> {
	const docker = await Docker.start();
	const restart = (isKept: boolean) => async () => {
		await docker.keepContainers(isKept);
		await docker.restart("SIGTERM");
	};
	return toChaosEngine("docker", docker, ledgers, {
		restart: { run: restart(true) },
		// With it its containers end, which is told as it is.
		stop: { run: restart(false), excuses: /./ },
	});
}

function toChaosEngine(name: string, engine: TestEngine, ledgers: string, more: Readonly<Record<string, EngineFault>>): ChaosEngine {
	const find = () => engine.engine.list(`svc.installation=${installation}`);
	return {
		name,
		options: { host: engine.host, installation, stop_grace: 1, mounts: [{ source: ledgers, writable: true }] },
		action: toAction(name, engine.image, ledgers),
		ledger: `/ledgers/${name}`,
		isLasting: true,
		faults: {
			cut: {
				async run(random) {
					await engine.cutOff();
					await delay(toAbsence(random));
					await engine.restore();
				},
			},
			lose: { run: () => engine.loseNextAnswer() },
			...more,
		},
		async takeAway(random) {
			const found = await find();
			if (found.length === 0) return undefined;
			const { id, labels } = pick(random, found);
			await engine.takeAway(id);
			return labels["svc.execution"];
		},
		async left() {
			return (await find()).map(({ id, labels, isRunning }) => ({
				run: labels["svc.execution"] ?? "",
				what: `${isRunning ? "running " : ""}container ${id}`,
				isDoomed: !isRunning && labels["svc.until"] !== undefined,
			}));
		},
		stop: () => engine.stop(),
	};
}

function toAction(name: string, image: string, ledgers: string): JsonObject {
	return {
		runner_type: name,
		parameters: {
			image: { default: image, immutable: true },
			mounts: { default: [{ source: ledgers, target: "/ledgers", read_only: false }], immutable: true },
		},
	};
}
