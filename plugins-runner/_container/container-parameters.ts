import type { ParameterDefinitions } from "../../core/contract/index.ts";
import { pullPolicies } from "./container-options.ts";

/** Limits of a container. Parameters that determine its isolation are reserved. */
export const limitParameters = {
	user: {
		type: "string",
		reserved: true,
		description: "User in the container, such as `1000:1000`. Default: the user of the configuration, or of the image.",
	},
	memory: { type: "string", description: "Memory limit, such as `512m` or `2g`." },
	cpus: { type: "number", description: "Processor limit, such as 0.5." },
	network: { type: "string", reserved: true, description: "Network; must be one that the configuration allows." },
	mounts: {
		type: "array",
		reserved: true,
		description:
			"Directories `{source, target, read_only}` of the machine of the engine to mount. The configuration must allow them. Read-only by default.",
	},
	capabilities: { type: "array", reserved: true, description: "Capabilities of the container. The configuration must allow them." },
	privileged: { type: "boolean", default: false, reserved: true, description: "True to run the container privileged." },
	read_only: { type: "boolean", default: true, reserved: true, description: "True to make the file system read-only, except for `/tmp`." },
	pull: { type: "string", enum: pullPolicies, reserved: true, description: "Pull policy of the image: `missing`, `always` or `never`." },
} as const satisfies ParameterDefinitions;
