import { type ExecutionEntity, type Runner, type Storage, SvcError } from "../../contract/index.ts";
import { readJournal } from "../executions/journal-entries.ts";
import { toChildOrigin } from "./child-record.ts";
import { isWaiting } from "./status.ts";

export interface AwaitedQuestionParts {
	readonly storage: Storage;
	readonly runners: ReadonlyMap<string, Runner>;
}

type Paused = Pick<ExecutionEntity, "id" | "runner_name" | "fence">;

const fields = ["id", "parent_id", "context", "status", "runner_name", "fence"] as const;

/** Questions that an error message names; the others are counted. */
const maxNamedQuestions = 5;

/**
 * Ids of the questions below a paused execution whose answers it waits for, the oldest first, if a resume could do nothing else. Empty if
 * anything of it can go on: a child that is not waiting, a child that was paused by itself, or work that the pause has held back.
 */
export async function findAwaitedQuestions(parts: AwaitedQuestionParts, execution: Paused): Promise<readonly string[]> {
	const { id } = execution;
	const found = await parts.storage.find("execution", { where: { parent_id: id, end_timestamp: null }, fields, orderBy: [["id", "asc"]] });
	// Executions that callers started with this parent are not branches of the workflow.
	const open = found.filter((child) => toChildOrigin(child) !== undefined);
	if (!open.every(({ status }) => isWaiting(status))) return [];
	const questions: string[] = [];
	for (const child of open) {
		const awaited = child.status === "pending" ? [child.id] : await findAwaitedQuestions(parts, child);
		if (awaited.length === 0) return [];
		questions.push(...awaited);
	}
	if (questions.length === 0) return [];
	return (await hasHeldWork(parts, execution)) ? [] : questions;
}

/** Pauses whose held work is remembered. */
const maxPauses = 1_000;
/** Whether paused runs have held work, by the fence, which each pause has of its own. The journal does not change during a pause, and replaying it takes long. */
const heldWork = new Map<string, boolean>();

async function hasHeldWork({ storage, runners }: AwaitedQuestionParts, { id, runner_name, fence }: Paused): Promise<boolean> {
	const { definitions } = runners.get(runner_name) ?? {};
	if (definitions?.hasHeldWork === undefined) return false;
	const known = fence === null ? undefined : heldWork.get(fence);
	if (known !== undefined) return known;
	const isHeld = await definitions.hasHeldWork(await readJournal(storage, id));
	if (fence === null) return isHeld;
	heldWork.set(fence, isHeld);
	const [oldest] = heldWork.keys();
	if (oldest !== undefined && heldWork.size > maxPauses) heldWork.delete(oldest);
	return isHeld;
}

/** Refuses with `SVC_CONFLICT` to resume a paused execution that only waits for answers: it would pause again at once. */
export async function assertResumable(parts: AwaitedQuestionParts, execution: Paused): Promise<void> {
	const questions = await findAwaitedQuestions(parts, execution);
	const [first] = questions;
	if (first === undefined) return;
	const named = questions.slice(0, maxNamedQuestions).map((id) => `"${id}"`);
	const more = questions.length > named.length ? ` and ${questions.length - named.length} more` : "";
	const words = questions.length === 1 ? "the answer to inquiry" : "an answer to each inquiry of";
	throw new SvcError(
		"SVC_CONFLICT",
		`status: execution "${execution.id}" cannot be resumed, it waits for ${words} ${named.join(", ")}${more}; it goes on by itself ` +
			`when they are answered, such as by: svc inquiry respond ${first}`,
	);
}
