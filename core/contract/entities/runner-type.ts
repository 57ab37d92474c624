import type { ParameterSchema } from "../parameters.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A runner type, as it is kept. */
export interface RunnerTypeEntity {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	/** Set by operators; registration never changes it. */
	readonly enabled: boolean;
	readonly runner_module: string;
	readonly output_key: string | null;
	readonly runner_parameters: ParameterSchema;
}

export const runnerTypeKind: EntityKindDefinition<RunnerTypeEntity> = {
	fields: {
		id: "text",
		name: "text",
		description: "text",
		enabled: "boolean",
		runner_module: "text",
		output_key: "text",
		runner_parameters: "json",
	},
	unique: [["name"]],
};
