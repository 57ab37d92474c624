import { type ExecutionEntity, type Runner, type Storage, SvcError } from "../../contract/index.ts";
import { toChildOrigin } from "../runs/children/child-record.ts";
import { isWaiting } from "./status.ts";
import { readJournal } from "./take-up.ts";

export interface AwaitedQuestionParts {
	readonly storage: Storage;
	readonly runners: ReadonlyMap<string, Runner>;
}

type Paused = Pick<ExecutionEntity, "id" | "runner_name">;

const fields = ["id", "parent_id", "context", "status", "runner_name"] as const;

/** Questions that an error message names; the others are counted. */
const maxNamedQuestions = 5;

/**
 * Ids of the questions below a paused execution whose answers it waits for, the oldest first, if a resume could do nothing else. Empty if
 * anything of it can go on: a child that is not waiting, a child that was paused by itself, or work that the pause has held back.
 */
export async function findAwaitedQuestions(parts: AwaitedQuestionParts, { id, runner_name }: Paused): Promise<readonly string[]> {
	const { storage, runners } = parts;
	const found = await storage.find("execution", { where: { parent_id: id, end_timestamp: null }, fields, orderBy: [["id", "asc"]] });
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
	const { hasHeldWork } = runners.get(runner_name)?.definitions ?? {};
	return (await hasHeldWork?.(await readJournal(storage, id))) ? [] : questions;
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
