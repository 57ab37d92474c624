import { createRequire } from "node:module";

type Yaml = typeof import("yaml");

let loaded: Yaml | undefined;

/**
 * The package `yaml`, loaded when it is first used: it is 73 modules, a twentieth of a start, and neither a service without files of its
 * own nor most commands read any YAML.
 */
export function yaml(): Yaml {
	loaded ??= createRequire(import.meta.url)("yaml") as Yaml;
	return loaded;
}
