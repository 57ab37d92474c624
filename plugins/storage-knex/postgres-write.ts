import { isSvcError } from "../../core/contract/index.ts";
import { fromPostgresError } from "../_postgres/errors.ts";
import { type StatementResult, type Step, StepError, throwIntoRounds, type Write, type WriteRounds } from "./database-client.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/**
 * Runs one write alone, in a transaction if it has several statements. If it fails, throws the error that the write creates for the reason.
 */
export async function runWrite<T>(connection: PostgresConnection, write: Write<T>): Promise<T> {
	const steps = write.rounds();
	const first = startWrite(steps);
	let answers: readonly StatementResult[];
	try {
		answers = await runWriting(connection, write, first);
	} catch (error) {
		return await explain(connection, steps, error);
	}
	return finishWrite(steps, answers);
}

/** Starts a write. Returns its first round, which contains all statements that write. */
export function startWrite(steps: WriteRounds<unknown>): readonly Step[] {
	const next = steps.next();
	return next.done ? [] : next.value;
}

/** Returns the result of a committed write, which had one round. */
export function finishWrite<T>(steps: WriteRounds<T>, answers: readonly StatementResult[]): T {
	const next = steps.next(answers);
	if (!next.done) throw new Error("a write has more than one round trip");
	return next.value;
}

/**
 * Runs the remaining rounds of a failed write, which find the reason, and throws its error. They only read, because the write was rolled
 * back.
 */
async function explain(connection: PostgresConnection, steps: WriteRounds<unknown>, error: unknown): Promise<never> {
	let next = throwIntoRounds(steps, error);
	while (!next.done) next = steps.next(await connection.runAll(next.value));
	throw new Error("a write continued after its failure", { cause: error });
}

/** Returns the statements that begin a transaction. */
export function toBeginStatements(relaxed: boolean): string {
	return relaxed ? "begin; set local synchronous_commit = off" : "begin";
}

function runWriting(
	connection: PostgresConnection,
	{ relaxed }: Write<unknown>,
	steps: readonly Step[],
): Promise<readonly StatementResult[]> {
	return relaxed || steps.length > 1 ? connection.runTransaction(steps, toBeginStatements(relaxed)) : connection.runAll(steps);
}

/** Converts an error of the driver or the server to the error that the storage throws. */
export function toStorageError(error: unknown): unknown {
	if (error instanceof StepError) return toStorageError(error.cause);
	return isSvcError(error) ? error : fromPostgresError(error);
}
