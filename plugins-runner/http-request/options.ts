export interface HttpRequestOptions {
	/** Maximum bytes of a response body that are kept. Default 1 MiB. */
	readonly max_response_body?: number;
	/**
	 * True if requests to loopback, private and link-local addresses are allowed. An action may forbid them, but cannot allow them if this is
	 * false. Default true.
	 */
	readonly allow_private_addresses?: boolean;
	/** Path of a PEM file with certificate authorities that are trusted in addition to those of Node.js. */
	readonly ca_file?: string;
	/** Directories that may contain files for `svc_file_path`, in addition to the action's pack. Default none. */
	readonly file_roots?: readonly string[];
}
