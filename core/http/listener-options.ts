/** Address and TLS settings of a listener. */
export interface ListenerOptions {
	/** Section of the options, for error messages. */
	readonly section: string;
	/** Name of the option with the port. Default `port`. */
	readonly option?: string;
	readonly host: string;
	/** 0 lets the operating system choose a port. */
	readonly port: number;
	readonly use_ssl: boolean;
	readonly cert: string;
	readonly key: string;
}
