import { useSignal } from "@preact/signals";
import { attempt } from "../kit/notices.ts";
import { addressBar, toHref } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { type PageTab, PageTabs } from "../parts/page-tabs.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/packs.ts";
import { FollowedPacks } from "./followed-packs.tsx";
import { InstallDialog } from "./install-dialog.tsx";
import { OutdatedPacks } from "./outdated-packs.tsx";
import { mayBegin } from "./pack-jobs.ts";
import { PackList } from "./pack-list.tsx";
import { PackSearch } from "./pack-search.tsx";

const views: readonly PageTab[] = [
	{ name: "all", title: texts.installedTab, permission: "pack_list", Shown: PackList },
	{ name: "newer", title: texts.updatesTab, permission: "pack_search", Shown: OutdatedPacks },
	{ name: "followed", title: texts.followedTab, permission: "pack_list", feature: "packInstaller", Shown: FollowedPacks },
	{ name: "index", title: texts.indexTab, permission: "pack_search", Shown: PackSearch },
];

/** Shows the installed packs and those that can be installed. */
export function Page() {
	const isInstalling = useSignal(false);
	return (
		<>
			<div class="page-head">
				<h1>{common.packs}</h1>
				{session.may("pack_register") && (
					<button type="button" title={texts.reloadHint} onClick={() => void register()}>
						{texts.reload}
					</button>
				)}
				{mayBegin("install") && (
					<button type="button" class="primary" onClick={() => (isInstalling.value = true)}>
						{texts.installOne}
					</button>
				)}
			</div>
			<PageTabs
				label={texts.tabs}
				views={views}
				chosen={addressBar.query("view")}
				toViewHref={(name) => toHref("/packs", { view: name === "all" ? undefined : name })}
				refusal={texts.refusal}
			/>
			{isInstalling.value && <InstallDialog onClose={() => (isInstalling.value = false)} />}
		</>
	);
}

async function register(): Promise<void> {
	await attempt(() => client.packs.register(), texts.registered);
}
