import { SvcError } from "../../core/contract/index.ts";
import { fromPostgresError, PostgresFailure } from "../_postgres/errors.ts";
import { KeyTakenError, NothingChangedError, type Statement } from "./database-client.ts";

const codes = { keyTaken: "23505", divisionByZero: "22012", tooLong: "54000" } as const;

/** What a statement's error means to the storage. */
export function toStepFailure(error: unknown, answer: Statement["answer"]): unknown {
	const known = fromPostgresError(error);
	if (!(known instanceof PostgresFailure)) return known;
	if (known.code === codes.keyTaken) return new KeyTakenError(known.message, { cause: known });
	// See `toChange` of the dialect.
	if (known.code === codes.divisionByZero && answer === "change") return new NothingChangedError("nothing was there to be changed");
	if (known.code === codes.tooLong)
		return new SvcError("SVC_TOO_LARGE", `a value is too long for the database: ${known.message}`, { cause: known });
	if (known.code.startsWith("22")) return new TypeError(`a value does not fit its field: ${known.message}`, { cause: known });
	return known;
}
