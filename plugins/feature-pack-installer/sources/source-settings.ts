import type { Options } from "../../../core/contract/index.ts";
import type { PackLimits } from "./pack-limits.ts";

/** Settings for the sources of packs, from the configuration. */
export interface SourceSettings {
	readonly limits: PackLimits;
	/** Addresses, files and directories of indexes; later ones take precedence. */
	readonly indexUrls: readonly string[];
	/** Base address for requests of the form `org/repository`. */
	readonly publicHost: string;
	/** Directories from which local packs may be installed; empty: any directory. */
	readonly directories: readonly string[];
	/** File with a line for each server, `https://user:password@host`; empty: none. */
	readonly credentialsFile: string;
	/** File with certificates of authorities that are trusted in addition to the default ones; empty: none. */
	readonly caFile: string;
	readonly ssh: SshSettings;
	/** Environment variables of the service; those for proxies, among others, are used. */
	readonly environment: Readonly<Record<string, string | undefined>>;
}

/** SSH options of the service, which git's ssh must use as well. */
export interface SshSettings {
	/** File of the private key; empty: the default keys of ssh. */
	readonly keyFile: string;
	readonly hostKeyCheck: string;
	readonly knownHosts: string;
	readonly usesAgent: boolean;
	/** SSH configuration file; empty: none is read. */
	readonly configFile: string;
	readonly connectTimeout: number;
}

export function toSourceSettings(options: Options, environment: SourceSettings["environment"] = process.env): SourceSettings {
	const { content, system_user, ssh_runner } = options;
	return {
		limits: { size: content.max_pack_size, fileSize: content.max_file_size, files: content.max_files, seconds: content.fetch_timeout },
		indexUrls: content.index_url,
		publicHost: content.public_host,
		directories: content.source_directories,
		credentialsFile: content.credentials_file,
		caFile: content.ca_file,
		ssh: {
			keyFile: system_user.ssh_key_file,
			hostKeyCheck: ssh_runner.host_key_check,
			knownHosts: ssh_runner.known_hosts,
			usesAgent: ssh_runner.use_agent,
			configFile: ssh_runner.use_ssh_config ? ssh_runner.ssh_config_file_path : "",
			connectTimeout: ssh_runner.ssh_connect_timeout,
		},
		environment,
	};
}
