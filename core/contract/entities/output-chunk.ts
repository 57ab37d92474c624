import type { OutputType } from "../runner.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A stored chunk of the output of an execution. */
export interface OutputChunkEntity {
	readonly id: string;
	readonly execution_id: string;
	/** Number of the chunk within its execution, from 1 without gaps across all output types. */
	readonly sequence: number;
	readonly output_type: OutputType;
	readonly timestamp: string;
	readonly data: string;
	/**
	 * Positions of secrets in `data`: the start and end of each, alternating, as string indices. Null if no secrets were found in `data`.
	 */
	readonly secret_spans: readonly number[] | null;
	/** Number of line breaks before the chunk, over all types and over its own type. Null in records of earlier versions. */
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
