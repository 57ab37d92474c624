export interface HttpRequestOptions {
	/** Most bytes of an answer's body that are kept. Default 1 MiB. */
	readonly max_response_body?: number;
	/** Whether loopback, private and link-local addresses may be asked. An action may forbid it, never allow it. Default true. */
	readonly allow_private_addresses?: boolean;
	/** File with certificates (PEM) of authorities to trust besides those that Node knows. */
	readonly ca_file?: string;
	/** Directories that `svc_file_path` may lie in besides the action's pack. Default none. */
	readonly file_roots?: readonly string[];
}
