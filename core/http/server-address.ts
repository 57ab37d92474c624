/** Where a listener is to listen, and whether over TLS. */
export interface ServerAddress {
	/** Section of the options, for messages. */
	readonly section: string;
	/** Name of the option with the port. Default `port`. */
	readonly option?: string;
	readonly host: string;
	/** 0 lets the system choose. */
	readonly port: number;
	readonly use_ssl: boolean;
	readonly cert: string;
	readonly key: string;
}
