import { type ExecutionEntity, type Storage, SvcError } from "../../contract/index.ts";

/** Commands that may be said by what a command has started, one by another. Each may ask for many executions. */
const deepest = 3;
/** Generations of executions that are looked through for them. */
const mostGenerations = 200;

type Said = Pick<ExecutionEntity, "parent_id" | "action_ref">;

/** `SVC_INVALID` for a command that stands too deep in other commands: one that says itself would never end. */
export async function assertEnds(storage: Storage, executionId: string): Promise<void> {
	let commands = 0;
	let id: string | null = executionId;
	for (let generation = 0; id !== null && generation < mostGenerations; generation += 1) {
		const [execution]: Said[] = await storage.find("execution", { where: { id }, fields: ["parent_id", "action_ref"], limit: 1 });
		if (execution?.action_ref.startsWith("chatops.")) commands += 1;
		if (commands > deepest) {
			throw new SvcError("SVC_INVALID", `text: commands may say one another ${deepest} deep; does one of them say itself?`);
		}
		id = execution?.parent_id ?? null;
	}
}
