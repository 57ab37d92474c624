import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { defineRunner, type Storage, type StoragePlugin, type WriteOperation } from "../../contract/index.ts";
import { createEngine, type Engine, type Principal } from "../../index.ts";

export const principal: Principal = { username: "admin", isAdmin: true, authentication: { method: "none" } };
/** What the runners have done, a line each. */
export const markFile = "marks";

/** Of the actions, which are called as their runners. */
const names = ["plain", "lasting", "instant"];

/** Runners that write down what they are asked for: one whose runs nobody finds again, and one that goes on with them. */
const plain = (directory: string) =>
	defineRunner("plain", () => ({
		description: "Writes down that it runs.",
		capabilities: {},
		parameters: {},
		run: async ({ execution_id }) => mark(directory, `run ${execution_id}`),
	}))();
const lasting = (directory: string) =>
	defineRunner("lasting", () => ({
		description: "Writes down that it runs, or is gone on with.",
		capabilities: { workflow: true, recovery: true, cancellation: true },
		parameters: {},
		run: async ({ execution_id }) => mark(directory, `run ${execution_id}`),
		recover: async ({ execution_id }) => mark(directory, `recover ${execution_id}`),
	}))();

/** One whose results need no run. */
const instant = (directory: string) =>
	defineRunner("instant", () => ({
		description: "Writes down that it runs, which it need not.",
		capabilities: {},
		parameters: {},
		run: async ({ execution_id }) => mark(directory, `run ${execution_id}`),
		runAtOnce: () => ({ succeeded: true, result: {} }),
	}))();

function mark(directory: string, text: string) {
	appendFileSync(join(directory, markFile), `${text}\n`);
	return { succeeded: true, result: {} };
}

/** An engine on the database of a directory. */
export async function startBeginService(directory: string, toStorage = (plugin: StoragePlugin) => plugin): Promise<Engine> {
	const engine = createEngine(
		{
			features: shippedFeatures(),
			storage: toStorage(knexStorage({ client: "sqlite" })),
			event_bus: memoryBus(),
			runners: [plain(directory), lasting(directory), instant(directory)],
			data_dir: directory,
			auth: { enable: false },
			log: { level: "error" },
		},
		{ directory },
	);
	await engine.start();
	for (const name of names) await engine.actions.create({ name, runner_type: name }).catch(() => undefined);
	return engine;
}

/**
 * The first write that stores an execution of an action as running or ended is never answered; the process is killed when there was one for
 * each action.
 */
function killing(plugin: StoragePlugin, begun: Set<unknown>): StoragePlugin {
	const create = () =>
		new Proxy(plugin.create(), {
			get(target, name: keyof Storage) {
				const member: unknown = target[name];
				if (name !== "write") return typeof member === "function" ? member.bind(target) : member;
				return async (operations: readonly WriteOperation[]) => {
					await target.write(operations);
					const actions = operations.flatMap(findBegun);
					if (actions.length === 0) return;
					for (const action of actions) begun.add(action);
					if (begun.size === names.length) process.kill(process.pid, "SIGKILL");
					await new Promise(() => {});
				};
			},
		});
	return { ...plugin, create };
}

/** The actions whose executions a write stores as running or ended. */
function findBegun(operation: WriteOperation): readonly string[] {
	if (!("insert" in operation) || operation.insert !== "execution") return [];
	return operation.entities.filter(({ attempt }) => attempt > 0).map(({ action_ref }) => action_ref);
}

const [, , directory] = process.argv;

// As a program of its own: asks for executions of each action until one of them begins, and is killed then.
if (import.meta.filename === process.argv[1] && directory !== undefined) {
	const begun = new Set<unknown>();
	const engine = await startBeginService(directory, (plugin) => killing(plugin, begun));
	for (const name of names) {
		// What the service knows of an action it has at hand once it was asked for.
		const ask = async () => {
			for (;;) await engine.executions.submit({ action: `default.${name}`, parameters: {} }, principal);
		};
		void ask();
		while (!begun.has(`default.${name}`)) await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
