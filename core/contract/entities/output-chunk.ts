import type { OutputType } from "../runner.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A piece of the output of an execution, as it is kept. */
export interface OutputChunkEntity {
	readonly id: string;
	readonly execution_id: string;
	/** From 1 without gaps within one execution, over all output types. */
	readonly sequence: number;
	readonly output_type: OutputType;
	readonly timestamp: string;
	readonly data: string;
	/** Where `data` holds secrets: start and end of each, in turn, as indexes of the string. Null: nowhere that is known of. */
	readonly secret_spans: readonly number[] | null;
	/**
	 * How many line ends come before it in the output as it is shown, with `data` masked: of all types, and of its own type. Null in what an
	 * earlier version has stored.
	 */
	readonly lines_before: number | null;
	readonly own_lines_before: number | null;
}

export const outputChunkKind: EntityKindDefinition<OutputChunkEntity> = {
	fields: {
		id: "text",
		execution_id: "text",
		sequence: "integer",
		output_type: "text",
		timestamp: "text",
		data: "text",
		secret_spans: "json",
		lines_before: "integer",
		own_lines_before: "integer",
	},
	bulky: { field: "data", by: "execution_id" },
	unique: [["execution_id", "sequence"]],
	indexes: [["timestamp"]],
	relaxed: true,
	shareable: true,
};
