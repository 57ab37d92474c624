import type { JsonValue } from "../../../contract/index.ts";
import type { Evaluation } from "./pattern.ts";

/** What became of one entry of a criteria map. */
export interface CriterionVerdict {
	readonly isTrue: boolean;
	/** From the payload; null when it is missing. */
	readonly value: JsonValue;
	/** As rendered. */
	readonly pattern: JsonValue;
	/** Why it could not be decided; it counts as false then. */
	readonly error?: string;
}

/** One entry of a criteria map. */
export interface Criterion {
	readonly key: string;
	readonly operator: string;
	/** Whether its pattern may need items of the datastore. */
	readonly usesDatastore: boolean;
	evaluate(evaluation: Evaluation): CriterionVerdict;
}
