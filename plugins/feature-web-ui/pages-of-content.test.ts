// test-timeout: 600
// test-suite: full
import { test } from "uvu";
import "./pages/access-pages.test-support.ts";
import "./pages/datastore-page.test-support.ts";
import "./pages/packs-page.test-support.ts";
import "./pages/policies-page.test-support.ts";
import "./pages/rules-page.test-support.ts";
import "./pages/words-pages.test-support.ts";
import { closeBrowser } from "../../core/testing/web/web.test-support.ts";

// One browser serves all of these: its start takes longer than most tests.
test.after(closeBrowser);

test.run();
