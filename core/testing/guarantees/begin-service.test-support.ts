import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { defineRunner, type Storage, type StoragePlugin, type WriteOperation } from "../../contract/index.ts";
import { createEngine, type Engine, type Principal } from "../../index.ts";

export const principal: Principal = { username: "admin", isAdmin: true, authentication: { method: "none" } };
/** What the runners have done, a line each. */
export const markFile = "marks";

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
	for (const name of ["plain", "lasting", "instant"]) await engine.actions.create({ name, runner_type: name }).catch(() => undefined);
	return engine;
}

/** The process is killed when an execution has been stored as running or ended, before anybody here hears of it. */
function killing(plugin: StoragePlugin): StoragePlugin {
	const create = () =>
		new Proxy(plugin.create(), {
			get(target, name: keyof Storage) {
				const member: unknown = target[name];
				if (name !== "write") return typeof member === "function" ? member.bind(target) : member;
				return async (operations: readonly WriteOperation[]) => {
					await target.write(operations);
					if (operations.some(isBegin)) process.kill(process.pid, "SIGKILL");
				};
			},
		});
	return { ...plugin, create };
}

function isBegin(operation: WriteOperation): boolean {
	return "insert" in operation && operation.insert === "execution" && operation.entities.some(({ attempt }) => attempt > 0);
}

const [, , directory, action] = process.argv;

// As a program of its own: asks for an execution, and is killed at its begin.
if (import.meta.filename === process.argv[1] && directory !== undefined && action !== undefined) {
	const engine = await startBeginService(directory, killing);
	// What the service knows of an action it has at hand once it was asked for.
	for (;;) await engine.executions.submit({ action, parameters: {} }, principal);
}
