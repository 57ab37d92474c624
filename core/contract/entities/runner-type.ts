import type { ParameterDefinitions } from "../parameters.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** The stored record of a runner type. */
export interface RunnerTypeEntity {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	/** True if the runner type may be used. Operators set it; registration never changes it. */
	readonly enabled: boolean;
	readonly runner_module: string;
	readonly output_key: string | null;
	readonly runner_parameters: ParameterDefinitions;
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
