import type { ActionSignature, DefinitionFinding, DefinitionServices } from "../../../core/contract/index.ts";
import { createTestExpressions } from "../../../core/testing/expressions.ts";
import { inspectDefinition } from "./inspect-definition.ts";

const actions: readonly ActionSignature[] = [
	{ ref: "core.noop", enabled: true, parameters: {} },
	{ ref: "core.echo", enabled: true, parameters: { message: { type: "string", required: true }, times: { required: true, default: 1 } } },
	{ ref: "core.fixed", enabled: true, parameters: { a: { immutable: true, default: 1 } } },
	{ ref: "core.off", enabled: false, parameters: {} },
];

export const tools = {
	expressions: createTestExpressions(),
	findAction: async (ref) => actions.find((action) => action.ref === ref),
} as const satisfies DefinitionServices;

export function inspect(text: string): Promise<readonly DefinitionFinding[]> {
	return inspectDefinition(text, tools);
}
