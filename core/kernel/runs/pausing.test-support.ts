import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import type { ExecutionEntity, JsonObject } from "../../contract/index.ts";
import { principal, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { deafBus } from "../../testing/engine/shared-bus.test-support.ts";
import type { OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { type NodesTest, until, within } from "../nodes/nodes.test-support.ts";
import { type FlowHooks, flowRunner } from "./flow-runner.test-support.ts";

export type Node = Awaited<ReturnType<NodesTest["startNode"]>>;

export interface NodeOptions extends FlowHooks {
	readonly onCall?: OnCall;
	readonly poolSize?: number;
	readonly isDeaf?: boolean;
}

/** A node of the test with the flow runner, its action, and questions. */
export async function startFlows(
	{ startNode }: NodesTest,
	{ onCall, poolSize = 50, isDeaf = false, ...hooks }: NodeOptions = {},
): Promise<Node> {
	const node = await startNode({
		runners: [flowRunner(hooks), inquirer()],
		options: { actionrunner: { actions_pool_size: poolSize } },
		...(onCall && { onCall }),
		...(isDeaf && { eventBus: deafBus() }),
	});
	await node.engine.actions.create({ name: "flow", runner_type: "flow" }).catch(() => undefined);
	return node;
}

export const submitFlow = (node: TestEngine, steps: readonly JsonObject[], more: JsonObject = {}) =>
	node.submit({ steps: steps as JsonObject[], ...more }, { action: "default.flow" });

export const hang = { key: "work", action: "default.scripted", parameters: { outcome: "hang" } };
export const quick = { key: "quick", action: "default.scripted", parameters: { lines: ["a"] } };
export const ask = (key = "ask") => ({ key, action: "core.ask", parameters: {} });
export const nested = (key: string, steps: readonly JsonObject[]) => ({
	key,
	action: "default.flow",
	parameters: { steps: steps as JsonObject[] },
});

/** What does not come about shows which test it was. */
export const limited = (name: string, body: () => Promise<void>, register: (name: string, body: () => Promise<void>) => void = test) =>
	register(name, () => within(8, body()));

export const statuses = ({ log }: ExecutionEntity) => log.map(({ status }) => status);
export const setStatus = (node: TestEngine, id: string, status: ExecutionEntity["status"]) =>
	node.engine.executions.setStatus(id, { status }, principal);
export const answer = (node: TestEngine, id: string) => node.engine.inquiries.respond(id, { continue: true }, principal);

/** A child once it has the status. */
export async function reached(node: TestEngine, id: string, status: ExecutionEntity["status"]): Promise<void> {
	await until(async () => (await node.storage.get("execution", id))?.status === status, `${id} is ${status}`);
}
