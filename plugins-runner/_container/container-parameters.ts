import type { ParameterDefinitions } from "../../core/contract/index.ts";
import { pullPolicies } from "./container-options.ts";

/** Limits of a container. Parameters that determine its isolation are reserved. */
export const limitParameters = {
	user: {
		type: "string",
		reserved: true,
		description: "User in the container, as in `1000:1000`. Default: the configuration's, or the image's.",
	},
	memory: { type: "string", description: "Most memory, as in `512m` or `2g`." },
	cpus: { type: "number", description: "Most processors, as in 0.5." },
	network: { type: "string", reserved: true, description: "Network, of those that the configuration allows." },
	mounts: {
		type: "array",
		reserved: true,
		description: "Directories `{source, target, read_only}` of the engine's machine that the configuration allows; read-only by default.",
	},
	capabilities: { type: "array", reserved: true, description: "Capabilities that it has, of those that the configuration allows." },
	privileged: { type: "boolean", default: false, reserved: true, description: "Whether it may do all that the machine's root may." },
	read_only: { type: "boolean", default: true, reserved: true, description: "Whether its files cannot be changed, but for `/tmp`." },
	pull: { type: "string", enum: pullPolicies, reserved: true, description: "When the image is pulled: `missing`, `always` or `never`." },
} as const satisfies ParameterDefinitions;
