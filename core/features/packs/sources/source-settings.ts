import type { Options } from "../../../contract/index.ts";
import type { PackLimits } from "./limits.ts";

/** What the configuration says of where packs come from. */
export interface SourceSettings {
	readonly limits: PackLimits;
	/** Addresses, files and folders; later ones win. */
	readonly indexUrls: readonly string[];
	/** What `org/repository` is a part of. */
	readonly publicHost: string;
	/** Below which files of this machine may be taken; empty: anywhere. */
	readonly directories: readonly string[];
	/** File with a line for each server, `https://user:password@host`; empty: none. */
	readonly credentialsFile: string;
	/** File with certificates of authorities that are trusted besides the known ones; empty: none. */
	readonly caFile: string;
	readonly ssh: SshSettings;
	/** Variables of the service, of which those of proxies are used. */
	readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The options of SSH, as git's own ssh is to keep them. */
export interface SshSettings {
	/** Private key; empty: those that ssh finds. */
	readonly keyFile: string;
	readonly hostKeyCheck: string;
	readonly knownHosts: string;
	readonly usesAgent: boolean;
	/** Empty: no file is read. */
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
