import type { JsonObject } from "../../../core/contract/index.ts";
import { pick, type Random } from "../../../core/testing/guarantees/random.test-support.ts";
import { Docker } from "../../../plugins-runner/_container/docker.test-support.ts";
import { Podman } from "../../../plugins-runner/_container/podman.test-support.ts";
import type { TestEngine } from "../../../plugins-runner/_container/test-engine.test-support.ts";
import { type ChaosEngine, forAWhile, type Loss, type UnsuccessfulRun } from "./chaos-engine.ts";

const [installation, executionLabel] = ["chaos", "svc.execution"];

interface Ways {
	readonly restart: (random: Random) => Promise<void>;
	readonly stop?: (random: Random) => Promise<void>;
	findLoss(run: UnsuccessfulRun): Loss | undefined;
}

/** Containers of Podman. Its server may be killed: containers go on without it. */
export async function startPodman(ledgers: string): Promise<ChaosEngine> {
	const podman = await Podman.start();
	return toChaosEngine("podman", podman, ledgers, {
		restart: () => podman.restart("SIGKILL"),
		findLoss: (run) => findUnbegun(run, "restart"),
	});
}

/** Containers of Docker, whose daemon is told to leave them alone when it ends, or not. */
export async function startDocker(ledgers: string): Promise<ChaosEngine> {
	const docker = await Docker.start();
	/** Executions whose containers the daemon has ended with itself, as it has written down. */
	const ended = new Set<string>();
	const stop = async () => {
		await docker.keepContainers(false);
		const from = Date.now();
		await docker.restart("SIGTERM", async () => {
			const stopped = (await docker.stored()).filter(({ State }) => State.ExitCode !== 0 && Date.parse(State.FinishedAt) >= from);
			for (const { Config } of stopped) ended.add(Config.Labels?.[executionLabel] ?? "");
		});
	};
	return toChaosEngine("docker", docker, ledgers, {
		async restart() {
			await docker.keepContainers(true);
			await docker.restart("SIGTERM");
		},
		stop,
		findLoss: (run) =>
			ended.has(run.record.id) && /^the container was killed|^exit code/.test(run.reason)
				? { what: "ended by its daemon" }
				: findUnbegun(run, "stop"),
	});
}

/** What was just making or starting a container when it ended has left that half-made, as the engine says: the command has not begun. */
function findUnbegun({ begun, reason, mishaps }: UnsuccessfulRun, what: string): Loss | undefined {
	const isHalfMade = begun === 0 && /^the container cannot be (made|started): /.test(reason);
	return isHalfMade && mishaps.some((mishap) => mishap.what === what) ? { what: "half-made by an engine that ended" } : undefined;
}

function toChaosEngine(name: string, engine: TestEngine, ledgers: string, { findLoss, ...more }: Ways): ChaosEngine {
	const find = () => engine.engine.list(`svc.installation=${installation}`);
	return {
		name,
		options: { host: engine.host, installation, stop_grace: 1, mounts: [{ source: ledgers, writable: true }] },
		action: toAction(name, engine.image, ledgers),
		ledger: `/ledgers/${name}`,
		faults: {
			cut: (random) =>
				forAWhile(
					random,
					() => engine.cutOff(),
					() => engine.restore(),
				),
			freeze: (random) =>
				forAWhile(
					random,
					() => engine.freeze(),
					() => engine.thaw(),
				),
			lose: () => engine.loseNextAnswer(),
			...more,
		},
		removed: /^the container /,
		wasAsked: async ({ liveaction }) => engine.wasAsked(`svc-${liveaction.id}`),
		findLoss: async (run) => findLoss(run),
		async takeAway(random) {
			const found = await find();
			if (found.length === 0) return undefined;
			const { id, labels } = pick(random, found);
			await engine.takeAway(id);
			return labels[executionLabel];
		},
		async left() {
			return (await find()).map(({ id, labels, isRunning }) => ({
				run: labels[executionLabel] ?? "",
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
