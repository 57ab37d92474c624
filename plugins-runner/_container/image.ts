import { SvcError } from "../../core/contract/index.ts";
import { beginsAs } from "../_image-names/index.ts";
import type { ContainerOptions } from "./container-options.ts";

/** Registry of images whose name contains none. */
const defaultRegistry = "docker.io";

/** Grammar of image references: an optional host, then path, tag and digest. */
const host = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::\d{1,5})?$/;
const path = /^[a-z0-9]+(?:(?:\.|_|__|-+|\/)[a-z0-9]+)*(?::\w[\w.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$/;

function isReference(image: string): boolean {
	if (image.length > 255) return false;
	const end = image.indexOf("/");
	return path.test(image) || (end > 0 && host.test(image.slice(0, end)) && path.test(image.slice(end + 1)));
}

/** Throws `SVC_INVALID` if the value is not an image reference, or if the configuration does not allow the image. */
export function assertImage(image: unknown, { images }: ContainerOptions, parameter: string): asserts image is string {
	if (typeof image !== "string" || !isReference(image)) {
		throw new SvcError("SVC_INVALID", `parameter "${parameter}" must be the name of an image, such as "docker.io/library/alpine:3.20"`);
	}
	if (images === undefined || images.some((pattern) => matches(image, pattern))) return;
	throw new SvcError("SVC_INVALID", `parameter "${parameter}": "${image}" is not allowed; allowed: ${images.join(", ")}`);
}

function matches(image: string, pattern: string): boolean {
	if (!pattern.endsWith("*") || pattern === "*") return pattern === "*" || image === pattern;
	return beginsAs(image, pattern.slice(0, -1));
}

/** Returns the image with a tag. Without a tag, some engines pull all tags. */
export function withTag(image: string): string {
	if (image.includes("@")) return image;
	return image.lastIndexOf(":") > image.lastIndexOf("/") ? image : `${image}:latest`;
}

/** Returns the registry credentials as a value of the header `X-Registry-Auth`; undefined if none are configured for the registry. */
export function toRegistryCredentials(image: string, { registries = {} }: ContainerOptions): string | undefined {
	const registry = toRegistry(image);
	const credentials = Object.hasOwn(registries, registry) ? registries[registry] : undefined;
	if (credentials === undefined) return undefined;
	const { username, password } = credentials;
	const text = Buffer.from(JSON.stringify({ username, password, serveraddress: registry })).toString("base64");
	// Engines accept only base64url with padding.
	return text.replaceAll("+", "-").replaceAll("/", "_");
}

function toRegistry(image: string): string {
	const [first = "", ...rest] = image.split("/");
	const isRegistry = rest.length > 0 && (first.includes(".") || first.includes(":") || first === "localhost");
	return isRegistry ? first : defaultRegistry;
}
