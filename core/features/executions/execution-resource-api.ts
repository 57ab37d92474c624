import type { GuardedResource } from "../../http/permissions.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import type { Executions } from "../../kernel/executions/executions-api.ts";

/** An execution is guarded by its action. `last` is looked up once, so that what is shown is what was checked. */
export async function findExecutionResource(
	{ executions }: { readonly executions: Executions },
	idOrLast: string,
): Promise<GuardedResource> {
	const { entity } = await executions.get(idOrLast, { fields: ["id", "action_ref"] });
	return { ...toActionResource(entity.action_ref), path: { id: entity.id } };
}
