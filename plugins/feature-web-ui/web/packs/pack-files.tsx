import { escapeControlCharacters, type PackRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, toApiHref } from "../kit/service.ts";
import { CodeBox } from "../parts/code-box.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/packs.ts";

/** Reads a file of a pack. Returns undefined if it is not UTF-8 text. */
export async function readPackText(ref: string, path: string): Promise<string | undefined> {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(await client.packs.file(ref, path));
	} catch (error) {
		if (error instanceof TypeError) return undefined;
		throw error;
	}
}

/** Lists the files of a pack. The address contains the selected file. */
export function PackFiles({ pack }: { readonly pack: PackRecord }) {
	const { ref, files } = pack;
	const path = addressBar.query("file");
	if (files.length === 0) return <Empty title={texts.noFiles} step={texts.noFilesStep} />;
	return (
		<div class="pack-files">
			<nav class="pack-file-list" aria-label={texts.filesTab}>
				<ul>
					{files.map((file) => (
						<li key={file}>
							<a
								class="mono"
								href={toHref(toPath("/packs/:ref", { ref }), { view: "files", file })}
								aria-current={file === path ? "true" : undefined}
							>
								{escapeControlCharacters(file)}
							</a>
						</li>
					))}
				</ul>
			</nav>
			{path === "" ? <p class="faint">{texts.chooseFile}</p> : <PackFile key={path} pack={pack} path={path} />}
		</div>
	);
}

function PackFile({ pack: { ref, content }, path }: { readonly pack: PackRecord; readonly path: string }) {
	const text = useResource(() => readPackText(ref, path), [ref, content, path]);
	const href = toApiHref(`/packs/views/file/${encodeURIComponent(ref)}/${path.split("/").map(encodeURIComponent).join("/")}`);
	return (
		<section class="pack-file" aria-label={texts.file}>
			<p>
				<strong class="mono">{escapeControlCharacters(path)}</strong>{" "}
				<a href={href} download={path.split("/").at(-1)}>
					{common.download}
				</a>
			</p>
			<Loaded resource={text}>
				{(found) => (found === undefined ? <p class="faint">{texts.notText}</p> : <CodeBox label={path} text={found} />)}
			</Loaded>
		</section>
	);
}
