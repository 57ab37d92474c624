import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { KeyTakenError } from "./database-client.ts";

const uniqueViolationCodes = new Set(["SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE"]);

/** Prefixes of the codes of disk, lock and memory errors, which may be temporary and are not caused by the caller. */
const unavailabilityCodes = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|PROTOCOL|INTERRUPT|NOLFS|PERM)/;

/**
 * Converts an error of the driver to the error that the storage throws: `KeyTakenError` for a unique key, `SVC_UNAVAILABLE` for a disk,
 * lock or memory error. Returns other errors unchanged.
 */
export function fromSqliteError(error: unknown): unknown {
	const code = sqliteCodeOf(error);
	if (uniqueViolationCodes.has(code)) return new KeyTakenError(toErrorMessage(error), { cause: error });
	if (unavailabilityCodes.test(code))
		return new SvcError("SVC_UNAVAILABLE", `the database is currently unavailable: ${toErrorMessage(error)}`, { cause: error });
	return error;
}

/** Returns true if another process holds the required lock. */
export function isBusy(error: unknown): boolean {
	return sqliteCodeOf(error).startsWith("SQLITE_BUSY");
}

/** Returns the name of the SQLite error code, or an empty string if the error is not from SQLite. */
export function sqliteCodeOf(error: unknown): string {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
