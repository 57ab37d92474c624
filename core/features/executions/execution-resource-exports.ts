import type { GuardedResource } from "../../http/route-permission.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import type { Executions } from "../../kernel/executions/executions-api.ts";

/**
 * Returns the action that guards an execution, and the id of the execution. `last` is resolved only here: resolving it again could return
 * another execution than the one that was checked.
 */
export async function findExecutionResource(
	{ executions }: { readonly executions: Executions },
	idOrLast: string,
): Promise<GuardedResource> {
	const { entity } = await executions.get(idOrLast, { fields: ["id", "action_ref"] });
	return { ...toActionResource(entity.action_ref), path: { id: entity.id } };
}
