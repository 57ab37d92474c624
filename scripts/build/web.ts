import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { bundleWeb } from "./bundle-web.ts";
import { writeChanged } from "./files.ts";

const target = "dist/plugins/feature-web-ui/web";

/**
 * The part of the build that browsers run: the web page, as files whose names hold a hash of what is in them. Each lies there once, packed
 * as small as can be: the service unpacks it for the few that do not take it so. Gives their paths.
 */
export async function buildWeb(): Promise<readonly string[]> {
	const { files, page } = await bundleWeb();
	const packed = files.map(({ name, contents }): readonly [string, Uint8Array] => {
		const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length } };
		return [`${name}.br`, brotliCompressSync(contents, options)];
	});
	return [...packed, ["index.html", Buffer.from(page)] as const].map(([name, contents]) => {
		writeChanged(join(target, name), contents);
		return join(target, name);
	});
}
