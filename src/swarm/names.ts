/** Workers have names a person can remember. */
const BIRDS = (
  'avocet bittern bunting chough coot crane curlew dipper dunlin egret eider finch fulmar gannet godwit goshawk grebe ' +
  'harrier heron hoopoe ibis jackdaw jay kestrel kite knot lapwing lark linnet magpie martin merlin nightjar nuthatch ' +
  'oriole osprey ouzel petrel pipit plover puffin quail rail raven redstart robin ruff shrike siskin skua snipe starling ' +
  'stork swallow swift teal tern thrush turnstone wagtail warbler wheatear whimbrel wren wryneck'
).split(' ')

/** So many different names; beyond the birds they are numbered. `random` gives numbers from 0 to 1. */
export function birdNames(count: number, random: () => number = Math.random): readonly string[] {
  const left = [...BIRDS]
  return Array.from({ length: count }, (_, index) => {
    const [name] = left.splice(Math.floor(random() * left.length), 1)
    return name ?? `bird ${index + 1}`
  })
}
