import { SvcError } from "../../core/contract/index.ts";
import type { ContainerOptions } from "./container-options.ts";

/** Registry of images whose name holds none. */
const defaultRegistry = "docker.io";

/** Refuses what is no name of an image, and images that the configuration does not allow. */
export function assertImage(image: unknown, { images }: ContainerOptions): asserts image is string {
	if (typeof image !== "string" || !/^[a-z0-9][A-Za-z0-9._:/@-]{0,254}$/.test(image)) {
		throw new SvcError("SVC_INVALID", 'parameter "image" must be the name of an image, as in "docker.io/library/alpine:3.20"');
	}
	if (images === undefined || images.some((pattern) => matches(image, pattern))) return;
	throw new SvcError("SVC_INVALID", `parameter "image": "${image}" is not allowed; allowed: ${images.join(", ")}`);
}

function matches(image: string, pattern: string): boolean {
	return pattern.endsWith("*") ? image.startsWith(pattern.slice(0, -1)) : image === pattern;
}

/** The image with a tag: without one some engines pull all of them. */
export function withTag(image: string): string {
	if (image.includes("@")) return image;
	return image.lastIndexOf(":") > image.lastIndexOf("/") ? image : `${image}:latest`;
}

/** What the engine shows the registry, as the header `X-Registry-Auth` has it; undefined where nothing is known of it. */
export function toRegistryCredentials(image: string, { registries = {} }: ContainerOptions): string | undefined {
	const registry = toRegistry(image);
	const credentials = Object.hasOwn(registries, registry) ? registries[registry] : undefined;
	if (credentials === undefined) return undefined;
	const { username, password } = credentials;
	return Buffer.from(JSON.stringify({ username, password, serveraddress: registry })).toString("base64url");
}

function toRegistry(image: string): string {
	const [first = "", ...rest] = image.split("/");
	const isRegistry = rest.length > 0 && (first.includes(".") || first.includes(":") || first === "localhost");
	return isRegistry ? first : defaultRegistry;
}
