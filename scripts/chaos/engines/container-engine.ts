import type { JsonObject } from "../../../core/contract/index.ts";
import { pick, type Random } from "../../../core/testing/guarantees/random.test-support.ts";
import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import { Docker } from "../../../plugins-runner/_container/docker.test-support.ts";
import { Podman } from "../../../plugins-runner/_container/podman.test-support.ts";
import type { TestEngine } from "../../../plugins-runner/_container/test-engine.test-support.ts";
import { type ChaosEngine, forAWhile, type Loss, type UnsuccessfulRun } from "./chaos-engine.ts";
import { DockerRecords, executionLabel } from "./docker-records.ts";

const installation = "chaos";

interface Ways {
	readonly restart: (random: Random) => Promise<void>;
	readonly stop?: (random: Random) => Promise<void>;
	findLoss(run: UnsuccessfulRun): Loss | undefined;
	keptOutput?(record: ExecutionRecord): string | undefined;
}

/** Containers of Podman. Its server may be killed: containers go on without it. */
export async function startPodman(ledgers: string): Promise<ChaosEngine> {
	const podman = await Podman.start();
	return toChaosEngine("podman", podman, ledgers, {
		restart: () => podman.restart("SIGKILL"),
		findLoss: (run) => findUnbegun(run, ["restart"]),
	});
}

/** Containers of Docker, whose daemon is told to leave them alone when it ends, or not. */
export async function startDocker(ledgers: string): Promise<ChaosEngine> {
	const docker = await Docker.start();
	const records = new DockerRecords(docker);
	const restart = (isKept: boolean) => async () => {
		await docker.keepContainers(isKept);
		await records.during(() => docker.restart("SIGTERM", () => docker.cutOff()));
		await docker.restore();
	};
	return toChaosEngine("docker", docker, ledgers, {
		restart: restart(true),
		stop: restart(false),
		findLoss: (run) =>
			records.hasEnded(run.record.id) && /^the container was killed|^exit code/.test(run.reason)
				? { what: "ended by its daemon" }
				: findUnbegun(run, ["restart", "stop"]),
		keptOutput: ({ id }) => records.outputOf(id),
	});
}

/** What was just making or starting a container when it ended has left that half-made, as the engine says: the command has not begun. */
function findUnbegun({ begun, reason, mishaps }: UnsuccessfulRun, faults: readonly string[]): Loss | undefined {
	const isHalfMade = begun === 0 && /^the container cannot be (made|started): /.test(reason);
	return isHalfMade && mishaps.some(({ what }) => faults.includes(what)) ? { what: "half-made by an engine that ended" } : undefined;
}

function toChaosEngine(name: string, engine: TestEngine, ledgers: string, { findLoss, keptOutput, ...more }: Ways): ChaosEngine {
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
		...(keptOutput && { keptOutput }),
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
			cmd: {},
			mounts: { default: [{ source: ledgers, target: "/ledgers", read_only: false }], immutable: true },
		},
	};
}
