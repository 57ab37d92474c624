import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { KeyTakenError } from "./database-client.ts";

const takenKeys = new Set(["SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE"]);

/** Disk, lock and memory troubles, by the first part of their code: not the caller's fault, and they may pass. */
const outage = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|PROTOCOL|INTERRUPT|NOLFS|PERM)/;

/** What the storage throws for an error of the driver. */
export function fromSqliteError(error: unknown): unknown {
	const code = codeOf(error);
	if (takenKeys.has(code)) return new KeyTakenError(toErrorMessage(error), { cause: error });
	if (outage.test(code))
		return new SvcError("SVC_UNAVAILABLE", `the database cannot be used now: ${toErrorMessage(error)}`, { cause: error });
	return error;
}

/** Whether another process holds the lock that was needed. */
export function isBusy(error: unknown): boolean {
	return codeOf(error).startsWith("SQLITE_BUSY");
}

/** Name of what SQLite says is wrong; empty for what it does not say. */
export function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
