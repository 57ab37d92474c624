import { type ExecutionEntity, SvcError } from "../../contract/index.ts";
import { addToCache } from "../../lib/bounded-cache.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { toChildOrigin } from "./child-identity.ts";
import { readJournal } from "./read-journal.ts";
import { isWaiting } from "./status.ts";

export type ResumeCheckDependencies = Uses<"storage" | "runners">;

type PausedExecution = Pick<ExecutionEntity, "id" | "runner_name" | "fence">;

const fields = ["id", "parent_id", "context", "status", "runner_name", "fence"] as const;

/** Maximum number of questions that an error message names. Further questions are only counted. */
const maxNamedQuestions = 5;

/**
 * Returns the ids of the open questions (pending executions) below a paused execution, the oldest first, if the execution can only wait for
 * their answers. Returns none if a resume would have another effect: a child does not wait, a child was paused separately, or the pause
 * holds back work.
 */
export async function findOpenQuestions(parts: ResumeCheckDependencies, execution: PausedExecution): Promise<readonly string[]> {
	const { id } = execution;
	const openChildren = await parts.storage.find("execution", {
		where: { parent_id: id, end_timestamp: null },
		fields,
		orderBy: [["id", "asc"]],
	});
	// Executions that API clients started with this parent are not branches of the workflow.
	const branches = openChildren.filter((child) => toChildOrigin(child) !== undefined);
	if (!branches.every(({ status }) => isWaiting(status))) return [];
	const questions: string[] = [];
	for (const child of branches) {
		const awaited = child.status === "pending" ? [child.id] : await findOpenQuestions(parts, child);
		if (awaited.length === 0) return [];
		questions.push(...awaited);
	}
	if (questions.length === 0) return [];
	return (await hasHeldWork(parts, execution)) ? [] : questions;
}

/** Maximum number of pauses in the cache `hasHeldWorkByFence`. */
const maxCachedPauses = 1_000;
/**
 * Cache by fence, which is unique for each pause: true if the pause holds back work of the run. A value stays valid, because the journal
 * does not change during a pause. Cached because replaying the journal takes long.
 */
const hasHeldWorkByFence = new Map<string, boolean>();

async function hasHeldWork({ storage, runners }: ResumeCheckDependencies, { id, runner_name, fence }: PausedExecution): Promise<boolean> {
	const { definitions } = runners.get(runner_name) ?? {};
	if (definitions?.hasHeldWork === undefined) return false;
	const cached = fence === null ? undefined : hasHeldWorkByFence.get(fence);
	if (cached !== undefined) return cached;
	const hasHeld = await definitions.hasHeldWork(await readJournal(storage, id));
	if (fence !== null) addToCache(hasHeldWorkByFence, fence, hasHeld, maxCachedPauses);
	return hasHeld;
}

/** Throws `SVC_CONFLICT` if a paused execution waits only for answers, because it would pause again at once after a resume. */
export async function assertResumable(parts: ResumeCheckDependencies, execution: PausedExecution): Promise<void> {
	const questions = await findOpenQuestions(parts, execution);
	const [first] = questions;
	if (first === undefined) return;
	const quotedIds = questions.slice(0, maxNamedQuestions).map((id) => `"${id}"`);
	const more = questions.length > quotedIds.length ? ` and ${questions.length - quotedIds.length} more` : "";
	const words = questions.length === 1 ? "the answer to inquiry" : "an answer to each inquiry of";
	throw new SvcError(
		"SVC_CONFLICT",
		`status: execution "${execution.id}" cannot be resumed: it waits for ${words} ${quotedIds.join(", ")}${more} and continues ` +
			`once answered; hint: svc inquiry respond ${first}`,
	);
}
