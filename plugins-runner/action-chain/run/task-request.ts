import { createHash } from "node:crypto";
import type { ChildRequest, JsonValue, RunContext } from "../../../core/contract/index.ts";
import type { ChainNode } from "../definition/chain.ts";
import type { ChainParameters } from "../parameters.ts";
import type { ChainState } from "./chain-state.ts";
import { namesOfParameters } from "./names.ts";
import { renderEach } from "./render.ts";

/** Key of the execution of a lap. */
export function toKey(name: string, lap: number): string {
	return `${name}.${lap}`;
}

/** Id of the task of a lap. */
export function toTaskId(executionId: string, key: string): string {
	return createHash("sha256").update(`${executionId}\0${key}`).digest("hex").slice(0, 24);
}

/** What the next lap, of this node, asks for. Rejects as `renderEach` does. */
export async function toRequest(context: RunContext<ChainParameters>, state: ChainState, node: ChainNode): Promise<ChildRequest> {
	const names = namesOfParameters(context, state);
	const parameters = await renderEach(context, node.parameters, names, { what: "action parameter", task: node.name });
	const isSkipped = (context.runnerParameters.skip_notify as readonly JsonValue[]).includes(node.name);
	const notify = isSkipped ? {} : (node.notify ?? context.notify);
	return {
		key: toKey(node.name, state.laps.length + 1),
		action: node.ref,
		parameters,
		context: { chain: node.parsed },
		...(notify !== null && { notify }),
	};
}
