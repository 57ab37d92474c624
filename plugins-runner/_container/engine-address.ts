import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { SvcError } from "../../core/contract/index.ts";

/** Address of the engine, and the files for TLS. */
export interface EngineAddressOptions {
	/**
	 * `unix:///path/of/socket`, or `tcp://host:port` with `tls`. Default: the first existing socket of `/var/run/docker.sock` and
	 * `/run/podman/podman.sock`.
	 */
	readonly host?: string;
	/** Paths of PEM files: the authority that issued the engine's certificate, and the certificate and key of this service. */
	readonly tls?: { readonly ca_file: string; readonly cert_file?: string; readonly key_file?: string };
}

/** Address and TLS options for `request` of node:http and node:https. */
export type EngineAddress =
	| { readonly socketPath: string }
	| { readonly host: string; readonly port: number; readonly tls: TlsFiles | undefined };

export interface TlsFiles {
	readonly ca: Buffer;
	readonly cert?: Buffer;
	readonly key?: Buffer;
}

const defaultSockets = ["/var/run/docker.sock", "/run/podman/podman.sock"];
const allowed = 'must be "unix:///path" or "tcp://host:port"';

/** Parses the address. Throws `SVC_CONFIG` if it is invalid, if files are missing, and for remote connections without TLS. */
export function readAddress({ host, tls }: EngineAddressOptions): EngineAddress {
	const address = host ?? `unix://${defaultSockets.find((path) => existsSync(path)) ?? defaultSockets[0]}`;
	if (typeof address !== "string") throw problem("host", allowed);
	if (address.startsWith("unix://")) {
		const socketPath = address.slice("unix://".length);
		if (!socketPath.startsWith("/")) throw problem("host", `${allowed}, with an absolute path`);
		if (tls !== undefined) throw problem("tls", 'is only allowed with "tcp://host:port"');
		return { socketPath };
	}
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (url === undefined || url.protocol !== "tcp:" || url.hostname === "" || !["", "/"].includes(url.pathname))
		throw problem("host", allowed);
	const name = url.hostname.replace(/^\[|\]$/g, "");
	if (tls === undefined && !isLoopback(name)) {
		throw problem("tls", `is required for "${address}", because every client of the engine has full control of its machine`);
	}
	return { host: name, port: Number(url.port || (tls === undefined ? 2375 : 2376)), tls: tls === undefined ? undefined : readTls(tls) };
}

/** Returns an identifier of the engine that is valid on all nodes: a local address includes the name of this machine. */
export function toPlace(address: EngineAddress): string {
	if ("socketPath" in address) return `unix://${hostname()}${address.socketPath}`;
	const { host, port } = address;
	return isLoopback(host) ? `tcp://${hostname()}/${host}:${port}` : `tcp://${host}:${port}`;
}

function readTls({ ca_file, cert_file, key_file }: NonNullable<EngineAddressOptions["tls"]>): TlsFiles {
	if ((cert_file === undefined) !== (key_file === undefined)) throw problem("tls", "requires both cert_file and key_file");
	return {
		ca: read("tls.ca_file", ca_file),
		...(cert_file === undefined ? {} : { cert: read("tls.cert_file", cert_file) }),
		...(key_file === undefined ? {} : { key: read("tls.key_file", key_file) }),
	};
}

function read(name: string, path: unknown): Buffer {
	if (typeof path !== "string") throw problem(name, "must be the path of a file");
	try {
		return readFileSync(path);
	} catch (error) {
		throw problem(name, `cannot be read: ${String(error)}`);
	}
}

function isLoopback(name: string): boolean {
	return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}

/** Returns an error for an invalid container option. */
export function problem(option: string, what: string): SvcError {
	return new SvcError("SVC_CONFIG", `option "${option}" of containers ${what}`);
}
