"""Wrote the databases here, and what the program that wrote them then told the devices.

usage: write.py watchline-server folder          (with the server of commit 401713b, version 1 of the tables)
       write.py watchline-server folder 2        (with the server of commit 999c3ef, version 2, before the log)
       write.py watchline-server folder 3        (with the server of commit c59a138, version 3, with a log)
"""
import socket, subprocess, sys, os, json, time, shutil, signal, hashlib, base64
SERVER=sys.argv[1]; OUT=sys.argv[2]; VERSION=sys.argv[3] if len(sys.argv) > 3 else ''
def start(data):
    p=subprocess.Popen([SERVER,'--listen','127.0.0.1:0','--data',data,'--clock','manual'],stdout=subprocess.PIPE,stderr=subprocess.DEVNULL)
    line=p.stdout.readline().decode(); port=int(line.rsplit(':',1)[1]); return p,port
class C:
    def __init__(s,port):
        s.s=socket.create_connection(('127.0.0.1',port)); s.f=s.s.makefile('rb'); s.lines=[]; s.k=0
        s.f.readline()
    def say(s,*lines):
        # all in one write: few commits
        s.k+=1
        s.s.sendall(('\n'.join(lines)+'\n').encode())
    def sync_end(s):
        s.say('configure')
        try: s.sync()
        except Exception: pass  # A phone whose watch was switched has no session.
    def sync(s):
        s.say('configure id=w%d'%s.k); w='"re":"w%d"'%(s.k-1)
        while True:
            l=s.f.readline().decode().rstrip('\n')
            if not l: raise Exception('closed '+str(s.lines[-3:]))
            if w in l: return
            s.lines.append(l)
blob=bytes((i*7+i//251)%256 for i in range(70000))
sha=hashlib.sha256(blob).hexdigest()
b64=lambda b: base64.b64encode(b).decode()
def fill(port):
    ph,wa,w2=C(port),C(port),C(port)
    ph.say('activate pair=demo role=phone incarnation=first'); ph.sync()
    wa.say('activate pair=demo role=watch'); wa.sync()
    # delivered, acknowledged, refused, unacknowledged
    ph.say(*['transferUserInfo payload={"delivered":%d,"text":"grüße %s"} n=%d id=a%d'%(i,'x'*i,i,i) for i in range(1,6)]); ph.sync()
    wa.say('acknowledge seq=3','refuse lane=userInfo seq=5 code=7001'); wa.sync()
    wa.say('transferUserInfo payload={"from":"watch"}','updateApplicationContext payload={"state":"old"}'); wa.sync()
    ph.sync(); ph.say('acknowledge lane=context')
    ph.say('setDeviceState isComplicationEnabled=true'); wa.say('setDeviceState isComplicationEnabled=true'); wa.sync()
    ph.sync()
    # the watch leaves; everything waits
    wa.say('updateApplicationContext payload={"state":"new","n":12345678901234567}'); wa.sync()
    wa.say('quit'); 
    while wa.f.readline(): pass
    lines=['transferUserInfo payload={"waiting":%d,"data":{"$data":"%s"}} n=%d'%(i,b64(blob[i*50:i*50+120+i]),i) for i in range(6,16)]
    lines+=['updateApplicationContext payload={"phone":true}']
    lines+=['transferCurrentComplicationUserInfo payload={"steps":%d}'%i for i in (1,2)]
    lines+=['transferUserInfo payload={"cancelled":1} id=gone','cancelTransfer transfer=phone:0#9']
    ph.say(*lines); ph.sync()
    ph.say('transferFile name="whole.bin" size=%d sha256="%s" metadata={"k":1} id=f1'%(len(blob),sha)); ph.sync()
    t=[json.loads(l)['transfer'] for l in ph.lines if '"re":"f1"' in l][0]
    ph.say('fileChunk transfer=%s offset=0 data=%s'%(t,b64(blob[:40000])),'fileChunk transfer=%s offset=40000 data=%s'%(t,b64(blob[40000:]))); ph.sync()
    ph.say('transferFile name="half.bin" size=%d sha256="%s" id=f2'%(len(blob),sha)); ph.sync()
    t=[json.loads(l)['transfer'] for l in ph.lines if '"re":"f2"' in l][0]
    ph.say('fileChunk transfer=%s offset=0 data=%s'%(t,b64(blob[:1000]))); ph.sync()
    # an outcome that waits for a phone that is away: second watch
    ph.say('deactivate'); ph.sync()
    ph.say('activate pair=demo role=phone incarnation=second'); ph.sync()
    ph.say('transferUserInfo payload={"second":1} n=1','sync.open schema=todoTimers',
      'sync.edit kind=timer set={"name":"Tea","durationInSeconds":180} record=B5C20E1A-0000-4000-8000-000000000001 id=e1','sync.edit kind=timer record=B5C2 set={"notes":"stir"} id=e2','sync.edit kind=timer set={"name":"Gone","durationInSeconds":60} record=C5C20E1A-0000-4000-8000-000000000001','sync.edit kind=timer record=C5C2 delete=true'); ph.sync()
    # another pair: outcomes, and a second watch whose transfers are parked
    p2=C(port); p2.say('activate pair=other role=phone'); p2.sync()
    w2.say('activate pair=other role=watch device=one'); w2.sync()
    w3=C(port); w3.say('activate pair=other role=watch device=two'); w3.sync()
    w3.say('transferUserInfo payload={"parked":"two"}'); w3.sync()
    p2.say('transferUserInfo payload={"ended":1} id=o1','transferUserInfo payload={"ended":2} id=o2'); p2.sync(); p2.say('quit')
    while p2.f.readline(): pass
    w2.sync(); w2.say('acknowledge seq=1','refuse lane=userInfo seq=2 code=7015'); w2.sync()
    # whole records over a bridge
    b=C(port); b.say('activate pair=whole role=watch bridge=todoTimers'); b.sync()
    tid='A1B2C3D4-0000-4000-8000-00000000C0DE'
    b.say('acknowledge','transferUserInfo payload={"type":"timerUpdate","payload":{"type":"created","timerID":"%s","timer":{"id":"%s","name":"Eggs","durationInSeconds":300,"icon":"timer","colorHex":"#FF0000","createdAt":1000,"updatedAt":1000,"todoItems":[]}}} id=b1'%(tid,tid)); b.sync()
    e=C(port); e.say('activate pair=whole role=phone','sync.open schema=todoTimers','sync.edit kind=timer record=A1B2 set={"name":"Two eggs"}'); e.sync()
    b.sync()
    return [ph,wa,w2,w3,b]
def pack(data):
    """LZ77: { literals, bytes, length, distance }…, numbers as LEB128."""
    def number(n):
        out = bytearray()
        while n >= 128: out.append(n & 127 | 128); n >>= 7
        return bytes(out + bytes([n]))
    out, seen, at, start = bytearray(), {}, 0, 0
    while at < len(data):
        key = data[at:at + 8]
        found, length = seen.get(key), 0
        if found is not None and len(key) == 8:
            while at + length < len(data) and data[found + length] == data[at + length]: length += 1
        for place in range(at, at + max(1, length)): seen[data[place:place + 8]] = place
        if length >= 8:
            out += number(at - start) + data[start:at] + number(length) + number(at - found)
            at += length; start = at
        else: at += 1
    return bytes(out + number(len(data) - start) + data[start:] + number(0) + number(0))
def read(how, data):
    """Plays steps.txt and writes down what each device hears, the order apart."""
    p, port = start(data); cs = {}
    for step in open(os.path.join(os.path.dirname(__file__), 'steps.txt')).read().splitlines():
        name, line = step.split('> ', 1)
        if name not in cs: cs[name] = C(port)
        cs[name].say(line); cs[name].sync()
        # What waits is delivered a moment after the session began: after that the next line may acknowledge it.
        time.sleep(0.1)
    for c in cs.values(): c.sync_end()
    text = ''.join(
        n + '< ' + l + '\n' for n in cs for l in cs[n].lines if '"of":"configure"' not in l)
    open(os.path.join(OUT, how + VERSION + '.txt.lz'), 'wb').write(pack(text.encode()))
    p.kill(); p.wait()
for how in ('stopped', 'killed'):
    d = os.path.join(OUT, how); shutil.rmtree(d, ignore_errors=True)
    p, port = start(d); cs = fill(port)
    if how == 'stopped': p.send_signal(signal.SIGTERM)
    else: p.kill()
    p.wait()
    for name in os.listdir(d):
        if name.endswith('.reserve'): continue
        out = os.path.join(OUT, how + VERSION + name[len('watchline'):] + '.lz')
        data = open(os.path.join(d, name), 'rb').read()
        # Of what a log has behind its last entry, a part: an entry may end with zeros as well.
        if name.endswith('.log'): data = data.rstrip(b'\0') + bytes(4096)
        open(out, 'wb').write(pack(data))
    read(how, d)
