import type { JsonValue } from "../../../contract/index.ts";
import type { Evaluation } from "./pattern.ts";

/** Result of one entry of a criteria map. */
export interface CriterionVerdict {
	readonly isTrue: boolean;
	/** Value from the payload; null if it is missing. */
	readonly value: JsonValue;
	/** Rendered pattern. */
	readonly pattern: JsonValue;
	/** Reason why the entry could not be evaluated; `isTrue` is false in that case. */
	readonly error?: string;
}

/** One entry of a criteria map. */
export interface Criterion {
	readonly key: string;
	readonly operator: string;
	/** True if its pattern may need items of the datastore. */
	readonly usesDatastore: boolean;
	evaluate(evaluation: Evaluation): CriterionVerdict;
}
